# threat 58 and attack on the outcome: PID 1 of the sandbox is ended, stopped or flooded by signals
# control: self
pid = os.fork() if CONTROL else 1
if pid == 0:
    signal.pause()
import time
time.sleep(0.05 if CONTROL else 0)
for number in range(1, 65):
    if number not in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        call(62, pid, number)
call(62, pid, signal.SIGSTOP)
# a signal that the kernel sends for us, of any number
ours, theirs = socket.socketpair()
call(72, ours.fileno(), 10, signal.SIGKILL)  # F_SETSIG
call(72, ours.fileno(), 8, pid)              # F_SETOWN
call(72, ours.fileno(), 4, os.O_ASYNC | os.O_NONBLOCK)
theirs.send(b"x")
time.sleep(0.05)
try:
    state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
except OSError:
    state = "gone"
verdict(state not in "RS", f"PID {pid} is {state}")
