"""bench.py — ours and a peer side by side in one run.   [./dev bench [--json] [NAME...]]

Every figure comes from alternating rounds on this machine; medians, and the ratio ours/peer. Names
and shape: docs/COMMANDS.md. A name that can't be measured yet has a null and says why.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402

CLIENT = harness.BUILD / "tests" / "bench" / "bench_client"
BWRAP = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup",
         "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--die-with-parent", "true"]
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
OUTPUT_BYTES = 512 << 20


def figure(ours, peer, peer_name, unit, note=None):
    ratio = ours / peer if ours is not None and peer else None
    out = {"ours": ours, "peer": peer, "peer_name": peer_name, "ratio": ratio, "unit": unit}
    return out | ({"note": note} if note else {})


def later(issue):
    return lambda d: figure(None, None, None, None, f"comes with {issue}")


def client(d, *args, timeout=600):
    done = d.run([CLIENT, *map(str, args)], timeout=timeout)
    assert done.rc == 0, repr(done)
    return json.loads(done.out)


def true_book(d):
    return str(Path(d.write("true/runbook.mdx", '# True\n\n<Command id="a" command="true" />\n')).parent)


def launch_workspace(d):
    got = client(d, "launch", true_book(d), 10, 30, *BWRAP)
    median = statistics.median
    return figure(median(got["ours"]) / 1000, median(got["peer"]) / 1000, "bwrap, same namespaces", "ms")


def launch_rate(d):
    got = client(d, "rate", true_book(d), 6, 100, *BWRAP)
    rate = [100 / (statistics.median(got[side]) / 1e6) for side in ("ours", "peer")]
    return figure(*rate, "bwrap, two at once", "launches/s")


def output_throughput(d):
    make = f"head -c {OUTPUT_BYTES} /dev/zero | tr '\\0' x"
    book = Path(d.write("output/runbook.mdx", f'# Output\n\n<Command id="a" command="{make}" />\n')).parent
    target = d.folder / "state" / "peer-output"
    got = client(d, "output", book, "a", 5, "sh", "-c", f"{make} | cat > {target}")
    rate = [OUTPUT_BYTES / 1e6 / (statistics.median(got[side]) / 1e6) for side in ("ours", "peer")]
    target.unlink()
    return figure(*rate, "cat > file, same disk", "MB/s")


def output_attached(d):
    """A script that writes 1 MiB every 25 ms at most, for nobody and for fifty who read all of it."""
    piece, pieces = 1 << 20, 120
    make = f"for i in $(seq {pieces}); do head -c {piece} /dev/zero; sleep 0.025; done"
    book = str(Path(d.write("attached/runbook.mdx", f'# Attached\n\n<Command id="a" command="{make}" />\n')).parent)
    d.ok("session", "start", "--as", "bench", "--why", "attached")
    d.ok("open", book)
    rates = {0: [], 50: []}
    for _ in range(5):
        for many, into in rates.items():
            execution = d.ok("run", book, "a", "--detach").text().strip()
            readers = [d.ctl_popen("attach", execution, stdout=subprocess.DEVNULL) for _ in range(many)]
            d.ok("wait", execution, timeout=120)
            assert all(reader.wait(60) == 0 for reader in readers), "an attached client failed"
            line = next(x for x in d.journal() if x["type"] == "finished" and x["execution"] == execution)
            assert line["output_bytes"] == piece * pieces, line
            into.append(piece * pieces / 1e6 / (line["duration_ms"] / 1000))
    d.end_sessions()
    return figure(statistics.median(rates[50]), statistics.median(rates[0]), "nobody attached", "MB/s",
                  "50 attached, each reads all of it; floor 0.95")


def request_rate(d):
    rates = [client(d, "requests", 20000)["ours"][0] for _ in range(5)]
    return figure(statistics.median(rates), None, None, "requests/s", "64 in flight, through front and broker")


def memory_of(pid):
    try:
        return harness.pss_kib(pid), "PSS"
    except PermissionError:  # undumpable: only root may ask. RSS counts shared pages whole: an upper bound
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]), "RSS (an upper bound of PSS)"
    return 0, "PSS"


def idle_memory(d):
    d.ok("session", "start", "--as", "bench", "--why", "memory")
    for i in range(20):
        d.ok("open", d.write(f"m{i}/runbook.mdx", f"# Book {i}\n\n" + "Text of a procedure.\n\n" * 200
                             + '<Command id="a" command="true" />\n'))
    client(d, "launch", true_book(d), 1, 190, "true")  # after ten to warm up: 200
    d.end_sessions()
    time.sleep(1)
    parts = {p.pid: memory_of(p.pid) for p in d.ours()}
    kinds = {kind for _, kind in parts.values()}
    detail = ", ".join(f"{p.comm} {parts[p.pid][0]}" for p in d.ours() if p.pid in parts)
    return figure(sum(kib for kib, _ in parts.values()) / 1024, None, None, "MiB",
                  f"{' / '.join(sorted(kinds))}; KiB each: {detail}; floor 48 MiB")


def corpus():
    named = os.environ.get("RUNBOOKD_CORPUS")
    beside = harness.ROOT.parent / "shared" / "corpus"
    return Path(named) if named else beside if beside.is_dir() else harness.ROOT / "docs"


def vet_corpus(d):
    """Parsing, vetting and making the registry, in process; the reference implementation only parses."""
    files = sorted(str(p) for p in corpus().rglob("*") if p.suffix in (".md", ".mdx") and p.is_file())
    done = d.run([harness.BUILD / "tests" / "bench" / "vet_rate", *files], timeout=300)
    assert done.rc == 0, repr(done)
    ours = json.loads(done.out)
    peer = harness.ROOT / "tests" / "differential"
    if not (peer / "node_modules").is_dir():
        return figure(ours["mb_per_s"], None, None, "MB/s", f"{ours['files']} files; npm has fetched no peer")
    lines = [json.dumps({"dialect": "mdx" if f.endswith(".mdx") else "markdown",
                         "text": Path(f).read_text(errors="replace")}) for f in files]
    done = d.run(["node", peer / "peer.mjs", "--rate"], input="\n".join(lines).encode(), timeout=600)
    assert done.rc == 0, repr(done)
    theirs = json.loads(done.out)
    return figure(ours["mb_per_s"], theirs["bytes"] / 1e3 / theirs["ms"], "@mdx-js/mdx and remark-gfm, parsing alone",
                  "MB/s", f"{ours['files']} files, processor time without start-up; goal 50 times")


def open_large(d):
    blocks = "".join(f'## Step {i}\n\n{"Words of explanation. " * 19}\n\n<Command id="b{i}" command="echo {i}" />\n\n'
                     for i in range(2000))
    path = d.write("large/runbook.mdx", "# Large\n\n" + blocks)
    times = []
    d.ok("session", "start", "--as", "bench", "--why", "large")
    for _ in range(5):
        began = time.monotonic()
        d.ok("open", path)
        times.append((time.monotonic() - began) * 1000)
    d.end_sessions()
    return figure(statistics.median(times), None, None, "ms", f"2,000 blocks, {len(blocks) // 1024} KiB; goal 100 ms")


def verify_rate(d):
    program = harness.BUILD / "tests" / "bench" / "verify_rate"
    done = d.run([program], timeout=300)
    assert done.rc == 0, repr(done)
    return json.loads(done.out)["verify_rate"]


FIGURES = {
    "launch_workspace": launch_workspace, "launch_sealed": later("the sandbox issue (profile sealed)"),
    "launch_rate": launch_rate, "output_throughput": output_throughput,
    "output_attached": output_attached, "output_secrets": later("redaction"), "request_rate": request_rate, "idle_memory": idle_memory,
    "vet_corpus": vet_corpus, "open_large": open_large, "checkout_second": later("checkouts"),
    "verify_rate": verify_rate,
}


def runtime_in_memory(d):
    """Sockets lie where they lie on every machine with systemd: in memory."""
    folder = Path(tempfile.mkdtemp(prefix="rb-bench-", dir="/dev/shm"))
    harness.give(folder)
    d.env["XDG_RUNTIME_DIR"] = str(folder)
    d.runtime = folder / "runbookd"
    return folder


def measure(name):
    folder = None
    try:
        with harness.Daemon("bench") as d:
            folder = runtime_in_memory(d)
            d.start_broker()  # bench_client finds no program of a build folder
            out = FIGURES[name](d)
            d.end_sessions()
            return out
    except AssertionError as why:
        print(f"{name}: {why}", file=sys.stderr)
        return figure(None, None, None, None, "failed")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(results):
    def number(value):
        return "-" if value is None else f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
    print(f"{'name':18} {'ours':>10} {'peer':>10} {'ratio':>6}  unit")
    for name, f in results.items():
        ratio = "-" if f["ratio"] is None else f"{f['ratio']:.2f}"
        print(f"{name:18} {number(f['ours']):>10} {number(f['peer']):>10} {ratio:>6}  {f['unit'] or ''}"
              f"  {f['peer_name'] or ''}  {f.get('note', '')}")


def main():
    words = sys.argv[1:]
    as_json = "--json" in words
    wanted = [w for w in words if not w.startswith("-")] or list(FIGURES)
    unknown = [w for w in wanted if w not in FIGURES]
    if unknown:
        sys.exit(f"no such figure: {unknown}; there are: {' '.join(FIGURES)}")
    results = {}
    for name in wanted:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        results[name] = measure(name)
    if as_json:
        print(json.dumps(results, indent=1))
    else:
        table(results)
        Path(harness.BUILD / "bench.json").write_text(json.dumps(results, indent=1))
    sys.exit(1 if any(f.get("note") == "failed" for f in results.values()) else 0)


if __name__ == "__main__":
    main()
