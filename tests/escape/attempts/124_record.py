# attack A24 and DESIGN §8: the record and its ledger are out of a script's reach
found = []
for folder, _, files in os.walk(FIXTURES["state"]):
    for file in files:
        path = os.path.join(folder, file)
        if os.access(path, os.R_OK) and "/work/" not in path and "/trees/" not in path and "/generated/" not in path:
            found.append(path)
verdict(bool(found), f"reachable: {found[:4]}")
