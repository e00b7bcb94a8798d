#!/bin/bash
set -e
mkdir -p from/sub
echo x > from/sub/f
ln -s sub/f from/l
ln from/sub/f from/h
touch -d '2020-02-02' from/sub/f
chmod 640 from/sub/f
cp -a from to
stat -c '%a %h %Y %N' to/sub/f to/h
readlink to/l
cp -r --reflink=auto from third
cp -al from fourth
stat -c %h from/h
install -d -m 0750 bin
install -m 0755 from/h bin/tool
install -D -m 644 from/h deep/er/file
mv to renamed
cp /etc/hostname taken
cp -a /usr/bin/env env
stat -c '%a %U' env
rm env
