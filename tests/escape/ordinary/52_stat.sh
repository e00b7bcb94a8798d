#!/bin/bash
touch -d '2021-03-04T05:06:07Z' file
stat -c '%n %s %a %A %F %U %G %u %g %h %Y' file
stat -c '%a %U %F' .
ls -ln --time-style=+%s file | awk '{print $1, $2, $3, $4, $5, $6}'
stat -L -c '%a %F' / /tmp /dev/null /dev/zero /dev/random /dev/urandom /dev/full /dev/tty /dev/ptmx /dev/shm /var/tmp
stat missing
echo "status $?"
file /bin/sh file 2> /dev/null | wc -l
