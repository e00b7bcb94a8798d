#!/bin/bash
# needs: dpkg
dpkg -s bash | grep -E '^(Package|Status|Version)'
dpkg -S /bin/bash
dpkg-query -W -f '${Package} ${Version}\n' coreutils
dpkg -l bash | tail -1 | awk '{print $1, $2}'
dpkg -V bash
dpkg -L bash | head -3
dpkg --compare-versions 1.2 lt 1.10 && echo older
. /etc/os-release && echo "$ID"
