#!/bin/bash
echo in | cat /dev/stdin
echo out > /dev/stdout
echo err > /dev/stderr
echo three 3>&1 >&3
exec 5> five
echo five >&5
echo again > /dev/fd/5
cat five
for fd in /proc/self/fd/*; do echo "${fd##*/}"; done | head -3 | paste -sd' '
python3 -c 'import os; print(sorted(map(int, os.listdir("/proc/self/fd")))[:3], os.fstat(0).st_rdev)'
wc -c < /dev/null
cat <&0
set -o pipefail
yes | head -1
echo "status $?"
bash /dev/stdin arg <<< 'echo "from stdin $1"'
echo written > /dev/null && head -c 3 /dev/zero | od -An -tx1
