# threat 27: set-user-id programs gain privileges
status = open("/proc/self/status").read()
mounts = [line for line in open("/proc/self/mountinfo") if "nosuid" not in line.split()[5]]
free = "NoNewPrivs:\t0" in status
verdict(free, f"no_new_privs {'0' if free else '1'}, {len(mounts)} mounts without nosuid")
