#!/bin/bash
set -e
file=$(mktemp)
folder=$(mktemp -d)
named=$(mktemp -p . name.XXXXXX)
stat -c '%a %F' "$file" "$folder" "$named"
dirname "$file" "$folder"
rm -r "$file" "$folder" "$named"
echo x > /dev/shm/ordinary.$$ && rm /dev/shm/ordinary.$$
echo x > /var/tmp/ordinary.$$ && rm /var/tmp/ordinary.$$
echo state > ~/.ordinary && cat ~/.ordinary
mkdir -p ~/.cache/ordinary ~/.config/ordinary && ls -A ~/.cache
