# threats 34 and 40: anything writable that the profile doesn't list
allowed = ["/tmp", "/var/tmp", "/dev/shm", "/dev", "/proc", FIXTURES["home"], os.environ.get("RUNBOOK_WORK", "/nowhere"),
           os.environ.get("GENERATED_FILES", "/nowhere"), "/run"]
open_places = []
for line in open("/proc/self/mountinfo"):
    words = line.split()
    place, options = words[4], words[5].split(",")
    if "rw" in options and not any(place == a or place.startswith(a + "/") for a in allowed):
        open_places.append(place)
for folder in ("/usr", "/etc", "/var/lib", "/opt", "/"):
    if os.access(folder, os.W_OK):
        open_places.append(folder + " (access)")
verdict(bool(open_places), f"writable: {open_places[:8]}")
