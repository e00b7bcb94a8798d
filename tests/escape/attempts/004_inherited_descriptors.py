# threat 4: descriptors of the launcher reach the script
# control: self
kept = os.open("/dev/null", os.O_RDONLY) if CONTROL else -1
found = []
for number in range(3, 4096):
    try:
        target = os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        continue
    # The interpreter's own descriptor of the script it reads is no leak.
    if not target.endswith(".py") and "memfd:" not in target and "/fd" not in target:
        found.append((number, target))
verdict(bool(found), f"open descriptors above 2: {found}")
