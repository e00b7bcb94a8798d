#!/bin/bash
getent hosts localhost
getent ahosts localhost | awk '{print $1, $2}'
getent passwd root | cut -d: -f1,6,7
getent passwd "$(id -u)" | cut -d: -f1
getent group root | cut -d: -f1
getent services https/tcp
getent hosts no-such-host.invalid
echo "status $?"
getent hosts "$(hostname)" | awk '{print (NF > 0)}'
