# threats 26, 52, 54: a process outside acts for the script (session bus, ssh and gpg agents)
reached = []
for path in FIXTURES["sockets"]:
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(path)
            reached.append(path)
    except OSError:
        pass
verdict(bool(reached), f"reached {reached}")
