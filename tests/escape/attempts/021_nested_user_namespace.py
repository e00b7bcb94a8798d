# threat 21: a user namespace inside, as attack surface
got = in_child(lambda: call(272, 0x10000000))
verdict(got == 0, f"unshare(CLONE_NEWUSER) answers {name(got)}")
