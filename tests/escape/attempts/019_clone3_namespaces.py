# threat 19: namespaces asked of clone3, whose flags no filter can see
arguments = struct.pack("<11Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, 0, 0, 0)
def work():
    got = call(435, ctypes.create_string_buffer(arguments, len(arguments)), len(arguments))
    if call.value == 0:
        os._exit(0)
    if call.value > 0:
        os.waitpid(call.value, 0)
    return got
got = in_child(work)
verdict(got != errno.ENOSYS, f"clone3(CLONE_NEWUSER) answers {name(got)}")
