# threats 22 and 23: families beyond the ordinary ones, AF_ALG and AF_VSOCK among them
passed = {}
for family in range(46):
    if family in (1, 2, 10, 16):
        continue
    for kind in (1, 2, 3, 5, 1 | 0o2000000):
        got = call(41, family, kind, 0)
        if got != errno.EAFNOSUPPORT:
            passed[family] = name(got)
        if got == 0:
            os.close(call.value)
verdict(bool(passed), f"families that answer otherwise than EAFNOSUPPORT: {passed}")
