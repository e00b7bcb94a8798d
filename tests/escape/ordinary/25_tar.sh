#!/bin/bash
# needs: xz gzip bzip2
set -e
mkdir -p d/sub
echo hello > d/sub/file
chmod 640 d/sub/file
chmod 700 d/sub
ln -s sub/file d/link
ln d/sub/file d/hard
for kind in gz xz bz2; do
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -caf "t.tar.$kind" d
  tar -tvf "t.tar.$kind" | awk '{print $1, $2, $6, $7, $8}'
  sha256sum "t.tar.$kind"
done
mkdir x
tar -xpf t.tar.xz -C x
stat -c '%a %h %n' x/d/sub x/d/sub/file
tar -cf - d | (mkdir y && cd y && tar -xf - && find . | sort)
gzip -9n x/d/link 2>&1 || echo "status $?"
echo more > lone
gzip -k9n lone
zcat lone.gz
