#!/bin/bash
env -i A=1 sh -c 'echo "$A $HOME"; env' | sort
env -u HOME sh -c 'echo "${HOME-unset}"'
export LD_LIBRARY_PATH=/nonexistent PYTHONPATH=$PWD
echo 'print("module")' > module_here.py
python3 -B -c 'import module_here'
unset LD_LIBRARY_PATH
echo "$PATH"
echo "$SHELL $LANG"
echo "$-"
echo "$SHLVL $#"
shopt -po | grep -c .
set -u
(echo "$not_set") 2>&1 | sed 's/.*: line/line/'
command -v ls grep
type -t cd
