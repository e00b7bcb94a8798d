#!/bin/bash
date -u -d '2024-02-29 12:00' +%FT%TZ
date -u -d '2024-02-29 +1 year' +%F
date -u -d @0 '+%A %d %B %Y'
TZ=America/New_York date -d '2024-07-01T12:00Z' '+%F %T %Z'
TZ=Asia/Kolkata date -d @1700000000 '+%T %z'
date -d '2024-07-01T12:00Z' '+%T %Z'
date -d nonsense
echo "status $?"
printf '%(%Y)T\n' 0
python3 -c 'import time; print(time.tzname)'
