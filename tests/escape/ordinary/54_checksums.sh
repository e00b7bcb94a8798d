#!/bin/bash
# needs: xxd
set -e
seq 1000 > a
for sum in md5sum sha1sum sha256sum sha512sum b2sum cksum; do $sum a; done
sha256sum a > sums
sha256sum -c sums
echo changed >> a
sha256sum -c sums || echo "status $?"
base64 -w0 sums | base64 -d | cmp - sums
printf abc | xxd -p
