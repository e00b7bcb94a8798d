# threats 8 to 10: ignored and blocked signals of the launcher are inherited
# control: self
if CONTROL:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
masks = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if line.startswith("Sig"))
# Python itself ignores SIGPIPE and SIGXFSZ.
ignored = int(masks["SigIgn"], 16) & ~(1 << (signal.SIGPIPE - 1)) & ~(1 << (signal.SIGXFSZ - 1))
verdict(int(masks["SigBlk"], 16) != 0 or ignored != 0, f"SigBlk {masks['SigBlk']} SigIgn {masks['SigIgn']}")
