# threat 32: a program that is in no file is executed; it must be under the same filter
code = (b"\xb8\x10\x01\x00\x00\xbf\x00\x00\x00\x10\x0f\x05"  # unshare(CLONE_NEWUSER)
        b"\xf7\xd8\x89\xc7\xb8\x3c\x00\x00\x00\x0f\x05")      # exit(errno)
base = 0x400000
head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, base + 120, 64, 0, 0, 64, 56, 1, 0, 0, 0)
part = struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, 120 + len(code), 120 + len(code), 0x1000)
memory = os.memfd_create("program")
os.write(memory, head + part + code)
got = in_child(lambda: os.execve(memory, ["program"], {}))
assert got != 99, "programs in memory can be executed: that is documented"
verdict(got != errno.EPERM, f"unshare(CLONE_NEWUSER) in a program of memory answers {name(got)}")
