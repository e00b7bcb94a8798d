# threats 6, 31 and 67: the launcher's pipes and sockets, by which an end could be forged or a go be given twice
found = []
for pid in ("self", "1"):
    try:
        for number in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{number}")
            if target.startswith("socket:") or (target.startswith("pipe:") and number not in ("0", "1", "2")):
                found.append(f"{pid}/{number} {target}")
    except OSError:
        pass
if CONTROL:
    found.append("control")
# control: self
verdict(bool(found), f"sockets and pipes of the launcher: {found}")
