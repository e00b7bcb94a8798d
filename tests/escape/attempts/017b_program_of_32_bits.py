# threat 17: a whole program of the 32-bit kind
code = bytes([0xB8, 1, 0, 0, 0, 0xBB, 42, 0, 0, 0, 0xCD, 0x80])  # exit(42) by int 0x80
base = 0x08048000
head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, base + 84, 52, 0, 0, 52, 32, 1, 0, 0, 0)
part = struct.pack("<8I", 1, 0, base, base, 84 + len(code), 84 + len(code), 5, 0x1000)
with open("/tmp/rb-32-bits", "wb") as file:
    file.write(head + part + code)
os.chmod("/tmp/rb-32-bits", 0o700)
got = in_child(lambda: os.execv("/tmp/rb-32-bits", ["x"]))
os.unlink("/tmp/rb-32-bits")
# 99: the kernel has no such programs at all, and there is nothing to hold.
verdict(got not in (-signal.SIGSYS, -signal.SIGSEGV, 99), f"a 32-bit program ends with {got}")
