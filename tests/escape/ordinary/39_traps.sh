#!/bin/bash
trap 'echo "exit with $?"; rm -f held' EXIT
trap 'echo term' TERM
trap 'echo usr1' USR1
trap 'echo int' INT
trap 'echo "error in line $LINENO"' ERR
touch held
kill -USR1 $$
kill -TERM $$
kill -INT $$
false
(trap 'echo "of the subshell"' EXIT; exit 2)
bash -c 'trap' # signals that come ignored would be told here
trap - ERR
exit 42
