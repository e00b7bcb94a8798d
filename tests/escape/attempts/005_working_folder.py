# threat 5: the working folder lies outside the sandbox
# control: self
where = "(unreachable)/" if CONTROL else os.readlink("/proc/self/cwd")
inside = where.startswith("/") and os.path.samefile(where, ".") if where.startswith("/") else False
verdict(not inside, f"/proc/self/cwd is {where}")
