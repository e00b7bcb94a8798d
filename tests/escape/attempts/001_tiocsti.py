# threat 1: TIOCSTI types commands into a terminal
import fcntl
import pty
import termios
master, slave = pty.openpty()
def work():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    return call(16, slave, termios.TIOCSTI, b"x")
got = in_child(work)
verdict(got != errno.EPERM, f"ioctl(TIOCSTI) answers {name(got)}")
