# threat 24: keyrings cross namespaces
got = {"add_key": call(248, b"user", b"runbookd-test", b"x", 1, -2), "keyctl": call(250, 0, -3, 0)}
if got["add_key"] == 0:
    call(250, 3, call.value)
verdict(any(v == 0 for v in got.values()), ", ".join(f"{k} {name(v)}" for k, v in got.items()))
