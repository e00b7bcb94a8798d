"""run.py KERNEL BUILD [PROGRAM...] — boots Debian's kernel with this machine's own file tree, read-only, below a
scratch disk; runs there what guest.py lists; leaves BUILD/vm/build/meson-logs/testlog-guest.json, which
report.py adds up. As an ordinary user, who has a manager in the guest.

KERNEL holds a kernel package unpacked (boot/, lib/modules/) and busybox (bin/busybox): ./dev test-vm puts them there.
Hardware virtualisation is used where /dev/kvm lets itself be used, else emulation, some fifty times slower.
RUNBOOKD_VM_SECONDS: how long the machine may run (900). Exit status: 0, whatever the tests said; 1 when
the machine didn't come to their end, which is in the report too.
"""
import fcntl
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4", "9pnet_virtio", "9p", "overlay")
KVM_GET_API_VERSION, KVM_CREATE_VM = 0xAE00, 0xAE01
UNIT = """[Unit]
Description=Tests
After=systemd-user-sessions.service user@{uid}.service
[Service]
Type=exec
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
Environment="GUEST_SLOWER={slower}" "GUEST_QUICK={quick}" "GUEST_ONLY={only}" PATH=/usr/bin:/bin:/usr/sbin:/sbin
ExecStart={python} {guest} {user} {build}
"""


# ── the initramfs ──
def module_files(kernel):
    """Paths of MODULES and what they need, in the order in which they can be loaded."""
    files = {path.name.split(".")[0].replace("-", "_"): path for path in kernel.glob("lib/modules/*/kernel/**/*.ko")}
    order = []

    def add(name):
        if files[name] in order:
            return
        needs = re.search(rb"\0depends=([^\0]*)\0", files[name].read_bytes())
        for needed in needs.group(1).decode().split(",") if needs else []:
            if needed:
                add(needed.replace("-", "_"))
        order.append(files[name])

    for name in MODULES:
        add(name)
    return order


class Archive:
    """A cpio archive as the kernel unpacks it ("newc")."""

    def __init__(self):
        self._bytes = b""
        self._entries = 0

    def add(self, name, mode, data=b"", device=(0, 0)):
        self._entries += 1
        path = name.encode() + b"\0"
        fields = (self._entries, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + path
        self._bytes += head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)

    def write(self, path):
        self.add("TRAILER!!!", 0)
        path.write_bytes(self._bytes)


def write_initramfs(path, kernel, unit, user):
    archive = Archive()
    for folder in ("bin", "dev", "modules"):
        archive.add(folder, 0o40755)
    archive.add("dev/console", 0o20600, device=(5, 1))
    archive.add("bin/busybox", 0o100755, (kernel / "bin/busybox").read_bytes())
    archive.add("init", 0o100755, (HERE / "init.sh").read_bytes())
    modules = module_files(kernel)
    for module in modules:
        archive.add(f"modules/{module.name}", 0o100644, module.read_bytes())
    archive.add("modules/order", 0o100644, "".join(f"{module.name}\n" for module in modules).encode())
    archive.add("guest.conf", 0o100644, f"GUEST_USER={user}\n".encode())
    archive.add("guest.service", 0o100644, unit.encode())
    archive.write(path)


# ── the machine ──
def can_virtualise():
    """Whether this user can make a virtual machine: asked by making one."""
    try:
        with open("/dev/kvm", "r+b", buffering=0) as kvm:
            if fcntl.ioctl(kvm, KVM_GET_API_VERSION) != 12:
                return False
            os.close(fcntl.ioctl(kvm, KVM_CREATE_VM, 0))
            return True
    except OSError:
        return False


def machine(kernel, folder, kvm):
    image = next(kernel.glob("boot/vmlinuz-*"))
    return ["nice", "qemu-system-x86_64", "-M", "pc", "-accel", "kvm" if kvm else "tcg", "-cpu", "max", "-smp", "1",
            "-m", "2048", "-display", "none", "-monitor", "none", "-nic", "none", "-no-reboot",
            "-kernel", str(image), "-initrd", str(folder / "initramfs"),
            "-drive", f"file={folder}/scratch.img,if=virtio,format=raw,cache=unsafe",
            "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
            "-serial", f"file:{folder}/console.log", "-serial", f"file:{folder}/report",
            "-append", "console=ttyS0 quiet panic=-1 mitigations=off systemd.unified_cgroup_hierarchy=1 "
                       "systemd.show_status=0"]


def follow(process, report, seconds):
    """Tells of each test as it ends. Returns the tests, and why the guest didn't come to the end or None."""
    tests, running, read = [], "its start", 0
    until = time.monotonic() + seconds
    while True:
        gone = process.poll() is not None
        data = report.read_bytes()[read:] if report.exists() else b""
        whole = data[:data.rfind(b"\n") + 1]
        read += len(whole)
        for line in whole.splitlines():
            told = json.loads(line)
            if "end" in told:
                return tests, None
            if "starts" in told:
                running = told["starts"]
                continue
            tests.append(told)
            print(f"{told['result']:8} {told['duration']:7} s  {told['name']}", file=sys.stderr, flush=True)
        if gone:
            return tests, f"the machine went off during {running}"
        if time.monotonic() > until:
            return tests, f"not at the end after {seconds:g} s: during {running}"
        time.sleep(0.3)


def end(process):
    try:
        process.wait(10)  # it turns itself off
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait(10)


def main():
    kernel, build, only = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
    who = pwd.getpwuid(os.geteuid())
    if who.pw_uid == 0:
        sys.exit("run.py: the tests run as an ordinary user: call it as one")
    kvm = can_virtualise()
    folder = build / "vm"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "build/meson-logs").mkdir(parents=True)
    unit = UNIT.format(uid=who.pw_uid, user=who.pw_name, slower=2 if kvm else 15, quick=int(not kvm), only=" ".join(only),
                       python=sys.executable, guest=HERE / "guest.py", build=build)
    write_initramfs(folder / "initramfs", kernel, unit, who.pw_name)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", folder / "scratch.img", "3G"], check=True)
    print(f"booting with {'hardware virtualisation' if kvm else 'emulation'}; console in {folder}/console.log",
          file=sys.stderr, flush=True)
    process = subprocess.Popen(machine(kernel, folder, kvm), stdin=subprocess.DEVNULL)
    try:
        tests, why = follow(process, folder / "report", float(os.environ.get("RUNBOOKD_VM_SECONDS", "900")))
    finally:
        end(process)
        (folder / "scratch.img").unlink()
    if why:
        console = (folder / "console.log").read_text(errors="replace")[-3000:]
        tests.append({"name": "guest", "result": "FAIL", "duration": 0, "stdout": f"{console}\nFAILED: {why}\n"})
    (folder / "build/meson-logs/testlog-guest.json").write_text("".join(json.dumps(test) + "\n" for test in tests))
    sys.exit(1 if why else 0)


if __name__ == "__main__":
    main()
