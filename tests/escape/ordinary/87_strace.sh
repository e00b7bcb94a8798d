#!/bin/bash
# needs: strace
# grant: the profile host
# says: ptrace|PTRACE|Operation not permitted
set -e
strace -e trace=none -o trace true
grep -c 'exited with 0' trace
rm trace
