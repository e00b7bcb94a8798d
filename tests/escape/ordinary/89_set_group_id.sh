#!/bin/bash
# needs: git
# grant: the profile host
# says: Operation not permitted
set -e
mkdir shared
chmod g+s shared
stat -c %a shared
git init -q --shared=group repo
stat -c %a repo/.git
rm -rf repo
