# threat 2: the same request with bits above the 32 that the kernel looks at
import fcntl
import pty
import termios
master, slave = pty.openpty()
def work():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    return call(16, slave, termios.TIOCSTI | 1 << 32, b"x")
got = in_child(work)
verdict(got != errno.EPERM, f"ioctl(TIOCSTI + 2^32) answers {name(got)}")
