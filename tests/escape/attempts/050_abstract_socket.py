# threat 50: abstract sockets of the host, reachable where the network is shared
try:
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("\0" + FIXTURES["abstract"])
        verdict(True, "connected")
except OSError as why:
    verdict(False, f"AF_UNIX answers {name(why.errno)}")
