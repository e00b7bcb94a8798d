#!/bin/bash
umask
umask 077
touch private
mkdir private.d
umask 002
touch shared
mkdir shared.d
install -m 0600 /dev/null secret
touch tool plain
chmod 0755 tool
chmod u=rw,go= plain
chmod 1777 shared.d
chmod 000 private
stat -c '%a %n' -- *
cat private
echo "status $?"
chmod 600 private
(umask 027; mkdir -p deep/er; stat -c %a deep deep/er)
mkdir -m 0711 given
cp -p tool copied
test -x tool && test ! -x plain && echo right
chown "$(id -u):$(id -g)" plain
echo "status $?"
