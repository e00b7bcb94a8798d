#!/bin/bash
# needs: zip unzip
set -e
mkdir d
echo hello > d/file
chmod 755 d/file
touch -d '2020-01-01 00:00:00' d/file d
zip -qrX t.zip d
unzip -l t.zip | tail -1 | awk '{print $2}'
unzip -qo t.zip -d x
stat -c '%a %n' x/d/file
unzip -t t.zip | tail -1
python3 -m zipfile -l t.zip | awk '{print $1}'
