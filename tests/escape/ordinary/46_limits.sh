#!/bin/bash
# normalise: /[!-~]+: line \d+: +\d+
ulimit -n 256 && ulimit -n
ulimit -f 100
head -c 1000000 /dev/zero > big
echo "status $?"
stat -c %s big
(ulimit -v 200000; python3 -c 'b"x" * 10**9' 2>&1 | tail -1)
ulimit -c 0 && ulimit -c
ulimit -s
