# threat 16: io_uring passes by a filter
got = call(425, 1, ctypes.create_string_buffer(512))
verdict(got != errno.ENOSYS, f"io_uring_setup answers {name(got)}")
