#!/usr/bin/env python3
# grant: the profile host
# says: docker\.sock
import os
import socket
import sys

path = os.environ.get("XDG_RUNTIME_DIR", "/run") + "/docker.sock"
try:
    socket.socket(socket.AF_UNIX).connect(path)
except OSError as why:
    sys.exit(f"cannot connect to the daemon at unix://{path}: {why.strerror}")
print("connected")
