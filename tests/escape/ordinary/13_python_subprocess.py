#!/usr/bin/env python3
# needs: python3
import os
import pty
import signal
import subprocess
import sys

print(subprocess.run(["sort"], input=b"b\na\n", stdout=subprocess.PIPE, check=True).stdout)
print(subprocess.run("exit 7", shell=True, check=False).returncode)
print(subprocess.run(["sh", "-c", "kill -9 $$"], check=False).returncode)
try:
    subprocess.run(["sleep", "5"], timeout=0.1, check=False)
except subprocess.TimeoutExpired as late:
    print(type(late).__name__)
try:
    subprocess.run(["no-such-program"], check=False)
except FileNotFoundError as missing:
    print(missing)
print(subprocess.run(["pwd"], cwd="/usr", stdout=subprocess.PIPE, check=True).stdout)
group = subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True)
os.killpg(group.pid, signal.SIGTERM)
print(group.wait())
sys.stdout.flush()
print(pty.spawn(["sh", "-c", "test -t 0 && test -t 1 && stty size"]))
sys.stdout.flush()
os.posix_spawn("/bin/echo", ["echo", "spawned"], os.environ)
os.wait()
