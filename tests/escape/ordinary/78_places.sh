#!/bin/bash
# differs: workspace: the work folder is a mount
for place in /home /srv /mnt /media /var/lib /var/cache /var/spool /run/lock /usr/local /opt /etc /var/tmp /dev/shm; do
  [ -d "$place" ] || echo "no $place"
done
logger said
mountpoint -q . && echo "the work folder is a mount" || true
