#!/bin/bash
# needs: patch diff
set -e
seq 10 > a
sed 's/5/five/' a > b
touch -d @0 a b
diff -u --label a --label b a b > change.patch || echo "status $?"
cat change.patch
patch a change.patch
cmp a b
patch -R --dry-run a change.patch
mkdir one two
echo x > one/f
diff -r one two || echo "status $?"
diff3 a b a | head -3
