#!/bin/bash
# needs: script
script -qec 'test -t 0 && test -t 1 && stty -echo && echo a terminal; echo ok > /dev/tty' /dev/null < /dev/null | tr -d '\r'
script -qec 'exit 6' /dev/null < /dev/null
echo "status $?"
