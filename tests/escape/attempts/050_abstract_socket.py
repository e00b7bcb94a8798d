# threat 50: abstract sockets of the host, reachable where the network is shared
with socket.socket(socket.AF_UNIX) as s:
    try:
        s.connect("\0" + FIXTURES["abstract"])
        verdict(True, "connected")
    except OSError as why:
        verdict(False, f"connect answers {name(why.errno)}")
