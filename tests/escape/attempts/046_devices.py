# threat 46: device files beyond the harmless ones
import stat
allowed = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}
found = []
for folder, _, files in os.walk("/dev"):
    for file in files:
        path = os.path.join(folder, file)
        mode = os.lstat(path).st_mode
        if (stat.S_ISBLK(mode) or stat.S_ISCHR(mode)) and file not in allowed and not folder.startswith("/dev/pts"):
            found.append(path)
verdict(bool(found), f"devices: {found[:6]}")
