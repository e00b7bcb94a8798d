#!/bin/bash
exec 9> "/var/lock/ordinary.$$" && flock -n 9 && echo locked
rm -f "/var/lock/ordinary.$$"
