# threat 3: TIOCLINUX pastes on virtual consoles
import pty
master, slave = pty.openpty()
got = [call(16, slave, 0x541C | high, b"\x03") for high in (0, 1 << 32)]
verdict(any(g != errno.EPERM for g in got), f"ioctl(TIOCLINUX) answers {[name(g) for g in got]}")
