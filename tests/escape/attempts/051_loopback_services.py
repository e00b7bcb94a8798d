# threat 51: services of the machine's loopback, by TCP and UDP (the profiles with its network reach them)
# profiles: sealed
reached, answers = [], []
for family, kind, address, port in FIXTURES["services"]:
    with socket.socket(family, kind) as s:
        s.settimeout(2)
        try:
            s.connect((address, port))
            if kind == socket.SOCK_DGRAM:
                s.send(b"x")
                s.recv(1)
            reached.append((address, port))
        except OSError as why:
            answers.append(name(why.errno) if why.errno else "nothing comes")
verdict(bool(reached), f"reached {reached}; else {sorted(set(answers))}")
