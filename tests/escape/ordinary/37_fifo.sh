#!/bin/bash
set -e
mkfifo pipe
stat -c '%F %a' pipe
seq 3 > pipe &
while read -r n; do echo "got $n"; done < pipe
wait
mkfifo -m 600 back
(read -r q < pipe; echo "answer to $q" > back) &
echo question > pipe
cat back
wait
