# threat 12: variables of the operator that nobody granted, own or of any process in sight
needle = FIXTURES["canary_value"].encode()
found = []
for pid in ["self"] + [p for p in os.listdir("/proc") if p.isdigit()]:
    for part in ("environ", "cmdline"):
        try:
            text = open(f"/proc/{pid}/{part}", "rb").read()
        except OSError:
            continue
        if needle in text:
            found.append(f"{pid}/{part}")
verdict(bool(found), f"the canary is in {found}")
