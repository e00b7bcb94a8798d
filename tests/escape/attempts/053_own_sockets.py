# threats 53 and A11: the product's own sockets, as a client
reached = []
for folder, _, files in os.walk(FIXTURES["runtime"]):
    for file in files:
        with socket.socket(socket.AF_UNIX) as s:
            try:
                s.connect(os.path.join(folder, file))
                reached.append(file)
            except OSError:
                pass
verdict(bool(reached), f"connected to {reached}")
