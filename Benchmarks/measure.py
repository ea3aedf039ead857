"""Runs the measurements that Benchmarks/run asks for and prints them as Markdown."""

import argparse
import contextlib
import datetime
import os
import pathlib
import platform
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from server import MIB, RATES, SETS, Server

BLOCK = bytes(256 * 1024)

ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if not name.lower().endswith("_proxy") and not name.startswith("PODGET")
} | {"LC_ALL": "C"}


class Bench:
    """What every measurement needs: the programs, the server, and a folder for each run."""

    def __init__(self, options, server, folder):
        self.podget_path = options.podget
        self.floor_path = options.floor
        self.rounds = options.rounds
        self.server = server
        self.output = pathlib.Path(folder) / "output"

    # The commands that are compared. Each downloads a whole set into self.output.

    def podget(self, name, *arguments):
        base = f"PODGET_ITUNES_URL={self.server.origin}/{name}"
        return [
            "env", base, self.podget_path, "download", "1", "-q", "-d", str(self.output),
            *([] if "--latest" in arguments else ["--all"]), *arguments,
        ]

    def curl(self, name, *arguments):
        lines = [
            f'url = "{self.server.origin}{path}"\noutput = "{self.output / pathlib.Path(path).name}"'
            for path in self.server.paths(name)
        ]
        return ["curl", "-sS", "--no-progress-meter", *arguments, "-K", self._list("curl", lines)]

    def floor(self, name):
        [path] = self.server.paths(name)
        return [
            self.floor_path, "127.0.0.1", str(self.server.port), path, str(self.output / "0.mp3")]

    def aria2(self, name):
        return [
            "aria2c", "-q", "-j4", "-x1", "--file-allocation=falloc", "-d", str(self.output),
            "-i", self._list("aria2", self._addresses(name)),
        ]

    def wget2(self, name):
        return [
            "wget2", "-q", "--max-threads=4", "-P", str(self.output),
            "-i", self._list("wget2", self._addresses(name)),
        ]

    def _addresses(self, name):
        return [self.server.origin + path for path in self.server.paths(name)]

    def _list(self, tool, lines):
        path = self.output.parent / f"{tool}.list"
        path.write_text("\n".join(lines) + "\n")
        return str(path)

    # Running them.

    def prepare(self, size=0):
        """The same state for every run: an empty folder, nothing left to be written, and free
        memory for a page cache of `size` bytes that was touched a moment ago.

        A virtual machine gives free memory back to its host every two seconds or so, and the first
        touch after that costs more than a whole download: it would fall on whoever comes next. So
        a file is written as downloads are, kept until what else is free has been given back, and
        removed just before the run."""
        shutil.rmtree(self.output, ignore_errors=True)
        self._make_output()
        os.sync()
        if size:
            ballast = self.output.parent / "ballast"
            with open(ballast, "wb", buffering=0) as file:
                for _ in range(0, size + size // 4, len(BLOCK)):
                    file.write(BLOCK)
                os.fsync(file.fileno())
            time.sleep(2.5)
            ballast.unlink()

    def _make_output(self):
        """An empty folder whose files get inodes in a part of the disk of their own.

        ext4 without a journal does not give away an inode for minutes after its file was deleted, and
        looks at each of them for each new file. So runs would pay for the files of the runs before."""
        places = self.output.parent / "places"
        if not places.exists():
            places.mkdir()
            # The flag T: ext4 spreads the folders in it over the disk. Other file systems have none.
            if shutil.which("chattr"):
                subprocess.run(["chattr", "+T", places], stderr=subprocess.DEVNULL, check=False)
        place = places / os.urandom(8).hex()
        place.mkdir()
        place.rename(self.output)

    def run(self, command, expected):
        """Wall seconds with a sync; CPU seconds and wall seconds of the command without it."""
        self.prepare(expected)
        begin = time.perf_counter()
        process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        alone = time.perf_counter() - begin
        os.sync()
        wall = time.perf_counter() - begin
        self._check(process.returncode, command, expected)
        return wall, usage.ru_utime + usage.ru_stime, alone

    def peak(self, command, expected):
        """The highest RssAnon that was seen, and VmHWM, in KiB. Sampling costs time: no clock."""
        self.prepare()
        # Without env(1), whose process would be looked at until it becomes podget's.
        assignment, command = command[1], command[2:]
        variable, _, value = assignment.partition("=")
        process = subprocess.Popen(
            command, env=ENVIRONMENT | {variable: value}, stdout=subprocess.DEVNULL)
        anonymous = whole = 0
        while process.poll() is None:
            with contextlib.suppress(OSError, KeyError):
                fields = dict(
                    line.split(":", 1)
                    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines())
                anonymous = max(anonymous, int(fields["RssAnon"].split()[0]))
                whole = max(whole, int(fields["VmHWM"].split()[0]))
            time.sleep(0.002)
        self._check(process.returncode, command, expected)
        return anonymous, whole

    def _check(self, status, command, expected):
        size = sum(file.stat().st_size for file in self.output.rglob("*.mp3"))
        if status != 0 or size < expected:
            raise SystemExit(f"bench: {command} ended with {status}, {size} of {expected} bytes")

    def interleaved(self, commands, name):
        """Each command once in every round, in random order; the first round is dropped. Values by
        command."""
        expected = SETS[name][0] * SETS[name][1]
        labels = list(commands)
        results = {label: [] for label in labels}
        for number in range(self.rounds):
            for label in random.sample(labels, len(labels)):
                values = self.run(commands[label], expected)
                if number > 0:
                    results[label].append(values)
        return results


def table(title, columns, rows):
    print(f"\n### {title}\n\n| {' | '.join(columns)} |")
    print("|---" * len(columns) + "|")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def timings(results, index, base):
    """Rows of median, minimum, and the ratios of both to those of the command `base`."""
    def values(label):
        numbers = [run[index] for run in results[label]]
        return statistics.median(numbers), min(numbers)

    median, least = values(base)
    return [
        [label, *(f"{value:.3f}" for value in values(label)),
         f"{values(label)[0] / median:.2f}", f"{values(label)[1] / least:.2f}"]
        for label in results
    ]


def measure_cpu(bench):
    """CPU seconds for one GiB."""
    curl = bench.curl("one")
    script = f'{" ".join(curl)} && openssl dgst -sha256 {bench.output}/0000.mp3'
    results = bench.interleaved(
        {
            "bare loop": bench.floor("one"),
            "curl -o": curl,
            "podget --no-checksum": bench.podget("one", "--no-checksum"),
            "curl, then openssl dgst": ["sh", "-c", script],
            "podget": bench.podget("one"),
        }, "one")
    columns = ["", "median", "least", "to the loop", "to the loop (least)"]
    table("CPU seconds for 1 GiB over loopback HTTP", columns, timings(results, 1, "bare loop"))
    table("Wall seconds of the same runs, each with a sync", columns,
          timings(results, 0, "bare loop"))


def measure_wall(bench, name="twenty-four", title="Wall seconds, 24 × 20 MiB, 4 connections"):
    """Wall seconds of a set, sync included."""
    commands = {
        "podget -j4": bench.podget(name, "-j", "4"),
        "podget -j4 --no-checksum": bench.podget(name, "-j", "4", "--no-checksum"),
        "curl --parallel": bench.curl(name, "--parallel", "--parallel-max", "4"),
    }
    if shutil.which("aria2c"):
        commands["aria2c -j4"] = bench.aria2(name)
    if shutil.which("wget2"):
        download = " ".join(bench.wget2(name))
        checksums = f"find {bench.output} -name '*.mp3' | xargs -n 6 -P 2 openssl dgst -sha256"
        commands["wget2 --max-threads=4"] = bench.wget2(name)
        commands["wget2, then openssl dgst"] = ["sh", "-c", f"{download} && {checksums}"]
    results = bench.interleaved(commands, name)
    columns = ["", "median", "least", "to curl", "to curl (least)"]
    table(f"{title}, each with a sync", columns, timings(results, 0, "curl --parallel"))
    table("The same runs without the sync at the end", columns,
          timings(results, 2, "curl --parallel"))
    table("CPU seconds of the same runs", columns, timings(results, 1, "curl --parallel"))


def measure_files(bench):
    """Wall seconds of many small files."""
    measure_wall(bench, "two-hundred", "Wall seconds, 200 × 4 MB, 4 connections")


def measure_memory(bench):
    """Peaks of anonymous and of all resident memory."""
    rows = []

    def row(label, name, *arguments, expected=None):
        size = SETS[name][0] * SETS[name][1] if expected is None else expected
        runs = [bench.peak(bench.podget(name, *arguments), size) for _ in range(3)]
        anonymous, whole = max(run[0] for run in runs), max(run[1] for run in runs)
        rows.append([label, f"{anonymous / 1024:.1f}", f"{whole / 1024:.1f}"])
        return anonymous

    row("1 file of 1 GiB", "one")
    row("24 × 20 MiB, -j4", "twenty-four", "-j", "4")
    row("200 × 4 MB, -j4", "two-hundred", "-j", "4")
    name, growth = "many-small", {}
    count, size = SETS[name]
    for kind, arguments, bytes_each in [("plan only", ["--dry-run"], 0), ("16 KiB each", [], size)]:
        few = row(f"10 of {count} episodes, {kind}", name, "--latest", "10", *arguments,
                  expected=10 * bytes_each)
        many = row(f"all {count} episodes, {kind}", name, *arguments, expected=count * bytes_each)
        growth[kind] = (many - few) / (count - 10)
    for kind, kibibytes in growth.items():
        rows.append([f"for each further episode, {kind}", f"{kibibytes:.2f} KiB", ""])
    table("Peak memory of podget in MiB", ["", "RssAnon", "VmHWM"], rows)


def measure_start(bench):
    """Milliseconds from spawn to exit."""
    def once(command):
        begin = time.perf_counter()
        os.waitpid(os.posix_spawn(command[0], command, ENVIRONMENT, file_actions=[
            (os.POSIX_SPAWN_OPEN, output, "/dev/null", os.O_WRONLY, 0) for output in (1, 2)]), 0)
        return (time.perf_counter() - begin) * 1000

    bench.prepare()
    commands = {
        "podget --version": [bench.podget_path, "--version"],
        "podget list, no episodes": [bench.podget_path, "list", "-d", str(bench.output)],
        "curl --version": [shutil.which("curl"), "--version"],
    }
    results = {label: [] for label in commands}
    for _ in range(50):
        for label in random.sample(list(commands), len(commands)):
            results[label].append(once(commands[label]))
    table("Start-up in milliseconds, 50 runs", ["", "median", "least"], [
        [label, f"{statistics.median(values):.1f}", f"{min(values):.1f}"]
        for label, values in results.items()])


def measure_rate(bench):
    """What comes of --limit-rate, over whole runs of about ten seconds."""
    rows = []
    for rate in RATES:
        for name, jobs in ((f"one-at-{rate}", "1"), (f"four-at-{rate}", "4")):
            size = SETS[name][0] * SETS[name][1]
            command = bench.podget(name, "-j", jobs, "--limit-rate", str(rate))
            results = [size / bench.run(command, size)[2] for _ in range(3)]
            measured = statistics.median(results)
            rows.append([
                f"{rate / 1e6:g} MB/s", jobs, f"{measured / 1e6:.3f} MB/s",
                f"{(measured / rate - 1) * 100:+.1f} %",
                f"{(min(results) / rate - 1) * 100:+.1f} to {(max(results) / rate - 1) * 100:+.1f} %"])
    table("--limit-rate, whole runs of ten seconds, median of three",
          ["limit", "files at once", "measured", "off by", "of single runs"], rows)


MEASUREMENTS = {
    "start": (measure_start, []),
    "cpu": (measure_cpu, ["one"]),
    "wall": (measure_wall, ["twenty-four"]),
    "files": (measure_files, ["two-hundred"]),
    "memory": (measure_memory, ["one", "twenty-four", "two-hundred", "many-small"]),
    "rate": (measure_rate, [name for name in SETS if "-at-" in name]),
}


def machine(rounds):
    model = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line), "")
    def first_line(*command):
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]

    print(f"{datetime.date.today()}, {model}, {os.cpu_count()} cores, "
          f"Linux {platform.release()}, load {os.getloadavg()[0]:.1f} at the start; "
          f"{rounds} rounds, the first dropped.")
    nginx = subprocess.run(["nginx", "-v"], capture_output=True, text=True).stderr.strip()
    versions = [nginx, " ".join(first_line("curl", "--version").split()[:2])]
    versions += [first_line(tool, "--version") for tool in ("aria2c", "wget2") if shutil.which(tool)]
    print(", ".join(versions) + ".")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--podget", required=True, type=os.path.abspath)
    parser.add_argument("--floor", required=True, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("measurements", nargs="*", metavar="|".join(MEASUREMENTS))
    options = parser.parse_args()
    # As Ctrl-C does: what is below `finally` stops the server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    names = options.measurements or list(MEASUREMENTS)
    if not set(names) <= set(MEASUREMENTS) or options.rounds < 2:
        parser.error("unknown measurement, or fewer than 2 rounds")
    needed = {name for measurement in names for name in MEASUREMENTS[measurement][1]}
    with tempfile.TemporaryDirectory(prefix="podget-bench.") as folder:
        server = Server(folder, max(os.sched_getaffinity(0)), needed)
        try:
            machine(options.rounds)
            for name in names:
                MEASUREMENTS[name][0](Bench(options, server, folder))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
