#!/bin/bash
set -e
echo x > file
ln file hard
ln -s file soft
ln -s /nonexistent dangling
ln -sfn . here
stat -c '%h %F %n' file hard soft dangling
readlink soft dangling
readlink -f soft
realpath here/here/file
[ file -ef hard ] && echo same
mv -T soft moved
rm file
cat hard
cat moved || echo "status $?"
ln hard /dev/shm/other 2>&1 | sed "s/'[^']*'//g" || true
