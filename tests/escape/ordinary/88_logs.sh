#!/bin/bash
# grant: --read /var/log
# says: /var/log
set -e
ls -d /var/log
test -r /var/log
