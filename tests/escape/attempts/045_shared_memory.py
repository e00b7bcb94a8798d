# threat 45: System V and POSIX shared memory of the host
segment = call(29, FIXTURES["shm_key"], 0, 0)
found = [] if segment else ["System V segment"]
if os.path.exists("/dev/shm/" + FIXTURES["shm_name"]):
    found.append("/dev/shm file")
if os.path.exists("/tmp/" + FIXTURES["tmp_name"]):
    found.append("/tmp file")
verdict(bool(found), f"seen: {found}")
