# attack A13: credential stores and private files of home
found = []
for path in FIXTURES["canaries"]:
    try:
        if FIXTURES["canary_value"] in open(path).read():
            found.append(path)
    except OSError:
        pass
verdict(bool(found), f"read {len(found)} of {len(FIXTURES['canaries'])}: {found[:4]}")
