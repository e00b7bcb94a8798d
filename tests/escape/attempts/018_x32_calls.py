# threat 18: x32 numbers, bit 30 set
got = in_child(lambda: 1 if call(0x40000000 | 39) else 0)
verdict(got != -signal.SIGSYS, f"getpid by its x32 number ends with {got}")
