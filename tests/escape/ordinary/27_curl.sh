#!/bin/bash
# needs: curl python3
# normalise: after [0-9]+ ms
set -e
mkdir www
echo page > www/index.html
python3 -u -m http.server --bind 127.0.0.1 --directory www 0 > server.log 2>&1 &
trap 'kill %1; wait; rm -f server.log' EXIT
until port=$(grep -soP '(?<=port )\d+' server.log); do sleep 0.02; done
curl -fsS "http://127.0.0.1:$port/"
curl -fsS "http://localhost:$port/index.html" -o got -w '%{http_code} %{size_download}\n'
curl -fsS "http://127.0.0.1:$port/none" || echo "status $?"
curl -sS http://127.0.0.1:1/ || echo "status $?"
curl -sS http://name.invalid/ || echo "status $?"
curl -fsS "file://$PWD/www/index.html"
exec 3<> "/dev/tcp/127.0.0.1/$port"
printf 'HEAD / HTTP/1.0\r\n\r\n' >&3
head -1 <&3
