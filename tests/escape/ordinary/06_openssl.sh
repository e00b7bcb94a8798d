#!/bin/bash
# needs: openssl
set -e
openssl genpkey -algorithm ed25519 -out ca.key
openssl req -x509 -new -key ca.key -subj /CN=ca.example -days 2 -out ca.pem
openssl req -new -newkey rsa:2048 -nodes -keyout web.key -subj /CN=web.example -out web.csr 2> /dev/null
openssl x509 -req -in web.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -out web.pem
openssl verify -CAfile ca.pem web.pem
openssl x509 -in web.pem -noout -subject -issuer
echo plain | openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -out sealed
openssl enc -d -aes-256-cbc -pbkdf2 -pass pass:x -in sealed
echo text | openssl dgst -sha256
openssl rand -hex 16 | tr -d '\n' | wc -c
stat -c %a ca.key web.key
openssl s_server -accept 127.0.0.1:0 -cert web.pem -key web.key -www > server.log 2>&1 &
until port=$(grep -soP '(?<=ACCEPT 127.0.0.1:)\d+' server.log); do sleep 0.02; done
openssl s_client -connect "127.0.0.1:$port" -CAfile ca.pem < /dev/null 2>&1 | grep -m1 'Verify return code'
kill %1
wait
rm -f ca.* web.* sealed server.log
