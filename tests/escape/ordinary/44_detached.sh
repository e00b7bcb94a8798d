#!/bin/bash
# needs: setsid
nohup sh -c 'echo from nohup' > nohup.log 2>&1 &
wait $!
cat nohup.log
nohup echo "to the same output"
setsid sh -c 'echo from setsid > setsid.log' &
wait $!
while [ ! -s setsid.log ]; do sleep 0.01; done
cat setsid.log
setsid -w sh -c 'exit 4'
echo "status $?"
(sleep 0.05; echo double > double.log) & disown
while [ ! -s double.log ]; do sleep 0.01; done
