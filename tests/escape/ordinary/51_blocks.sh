#!/bin/bash
set -e
dd if=/dev/zero of=zeros bs=1M count=2 status=none
dd if=/dev/urandom bs=1k count=4 status=none | wc -c
truncate -s 64M sparse
stat -c '%s %b' sparse
printf x | dd of=sparse bs=1 seek=1000000 conv=notrunc status=none
du -k --apparent-size sparse | cut -f1
cp --sparse=always sparse again
cmp sparse again
fallocate -l 1M space && stat -c %s space
fallocate -p -o 0 -l 4096 zeros
(echo full > /dev/full) 2>&1 | sed 's/.*: line/line/'
echo "status $?"
rm sparse again
head -c 10 zeros | od -An -tx1
df --output=target . > /dev/null
sync zeros
