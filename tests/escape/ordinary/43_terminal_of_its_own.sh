#!/bin/bash
# needs: script
inside='test -t 0 && test -t 1 && stty -echo && echo a terminal; echo ok > /dev/tty'
script -qec "$inside" /dev/null < /dev/null | tr -d '\r'
script -qec 'exit 6' /dev/null < /dev/null
echo "status $?"
