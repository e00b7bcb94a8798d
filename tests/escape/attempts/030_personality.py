# threat 30: READ_IMPLIES_EXEC, no address randomisation
got = [in_child(lambda p=p: call(135, p)) for p in (0x0400000, 0x0040000)]
assert call(135, 0xFFFFFFFF) == 0, "asking for the personality must work"
verdict(any(g == 0 for g in got), f"personality answers {[name(g) for g in got]}")
