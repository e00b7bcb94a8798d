#!/bin/bash
echo "TERM=$TERM"
tput cols
tput colors
TERM=xterm-256color tput bold | od -c | head -1
tty
echo "status $?"
stty -a
echo "status $?"
[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo no terminal
(: < /dev/tty) 2>&1 | sed 's/.*: line/line/'
read -r -t 1 line
echo "status $?"
ls --color=auto -d .
clear
cat
