#!/bin/bash
# needs: ip ss
ip -o addr show lo | awk '{print $2, $3, $4}'
ip -br link show lo | awk '{print $1}'
ip route show table local 127.0.0.1 | head -1
cat > listen.py <<'EOF'
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
time.sleep(5)
EOF
python3 listen.py > port &
until [ -s port ]; do sleep 0.02; done
ss -Hltn "sport = :$(cat port)" | awk '{print $1}'
kill %1
ss -Hxl > /dev/null
echo "status $?"
cat /proc/net/dev | grep -c lo:
rm port
