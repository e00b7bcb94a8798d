#!/bin/bash
# needs: sudo
# grant: the profile host
# says: no new privileges|nosuid|effective uid
# Whether root is asked for a password or not: sudo gets as far as its own rules.
sudo --version > /dev/null || exit 1
sudo -n true 2>&1 | tee said
grep -qE 'no new privileges|effective uid|nosuid' said && exit 1
rm said
