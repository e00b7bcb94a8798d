#!/usr/bin/env python3
# needs: python3
import array
import os
import socket

ours, theirs = socket.socketpair()
if os.fork() == 0:
    theirs.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
    os._exit(0)
os.wait()
print(len(ours.recvmsg(1, socket.CMSG_SPACE(4))[1]))
for address in ("s", f"\0ordinary-{os.getpid()}"):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        child = os.fork()
        if child == 0:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(address)
                client.sendall(b"hello")
            os._exit(0)
        peer = listener.accept()[0]
        print(peer.recv(5), os.waitpid(child, 0)[1])
try:
    socket.socket(socket.AF_UNIX).connect("/nonexistent/socket")
except OSError as why:
    print(why)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
    udp.bind(("127.0.0.1", 0))
    udp.sendto(b"self", udp.getsockname())
    print(udp.recv(10))
try:
    socket.create_connection(("127.0.0.1", 1))
except OSError as why:
    print(why)
