# threat 14: BASH_ENV and its kin run foreign code before the script
# control: self
import subprocess
if CONTROL:
    os.environ["BASH_ENV"] = "/dev/null"
names = [n for n in os.environ if n in FIXTURES["loader_variables"] or n.startswith(("LD_", "BASH_FUNC_"))]
verdict(bool(names), f"variables that execute: {names}")
