# threat 21: what stays when a filter is gone: the namespace itself allows none within
limit = open("/proc/sys/user/max_user_namespaces").read().strip()
try:
    open("/proc/sys/user/max_user_namespaces", "w").close()
    raised = os.geteuid() != 0  # root opens it outside, and there it is the machine's own
except OSError:
    raised = False
verdict(limit != "0" or raised, f"max_user_namespaces is {limit}, {'writable' if raised else 'not writable'}")
