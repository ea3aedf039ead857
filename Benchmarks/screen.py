"""Measures the start and the keys of podget browse on a large library, as Markdown."""

import argparse
import fcntl
import os
import pathlib
import pty
import random
import select
import signal
import statistics
import struct
import subprocess
import tempfile
import termios
import time

import library

PATIENCE = 120
# Between two keys: longer than a frame takes, and never the same.
PAUSE = (0.02, 0.06)


class Screen:
    """podget browse on a pseudo-terminal that is read as fast as it comes."""

    def __init__(self, podget, folder, size):
        self.began = time.perf_counter()
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            columns, rows = size
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            environment = {"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8",
                           "HOME": str(folder)}
            command = [podget, "browse", "--images", "none", "--library", str(folder)]
            os.execve(podget, command, environment)
        self.seen = b""

    def read(self, wait):
        """Reads what comes within a time; when it came, and nothing for none."""
        if not select.select([self.descriptor], [], [], wait)[0]:
            return None
        now = time.perf_counter()
        try:
            self.seen = (self.seen + os.read(self.descriptor, 1 << 16))[-(1 << 18):]
        except OSError:
            raise SystemExit(f"screen: podget browse ended: {self.seen[-2000:]}")
        return now

    def wait(self, text):
        """Reads until a text has come; when that was."""
        end = time.perf_counter() + PATIENCE
        now = time.perf_counter()
        while time.perf_counter() < end:
            if text.encode() in self.seen:
                return now
            now = self.read(1) or now
        raise SystemExit(f"screen: {text} does not come: {self.seen[-2000:]}")

    def rest(self, seconds):
        """Reads until nothing came for a time."""
        while self.read(seconds):
            pass

    def answer(self, key):
        """Seconds from a key to the first byte of the frame after it."""
        self.seen = b""
        start = time.perf_counter()
        os.write(self.descriptor, key.encode())
        now = self.read(PATIENCE)
        if now is None:
            raise SystemExit(f"screen: {key!r} has no answer")
        self.rest(random.uniform(*PAUSE))
        return now - start

    def stop(self):
        os.kill(self.pid, signal.SIGTERM)
        try:
            while os.read(self.descriptor, 1 << 16):
                pass
        except OSError:
            pass
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)


def follow(folder, podcasts):
    """Follows all podcasts of a library."""
    outlines = "".join(
        f'<outline type="rss" text="{library.title(number, 3)} {number}" '
        f'xmlUrl="https://feeds.example/{number}/rss"/>\n' for number in range(podcasts))
    (folder / ".podget" / "subscriptions.opml").write_text(
        f'<?xml version="1.0"?><opml version="2.0"><body>\n{outlines}</body></opml>\n')


def row(name, times):
    ordered = sorted(times)
    parts = statistics.quantiles(ordered, n=100, method="inclusive")
    p50, p99 = parts[49] * 1000, parts[98] * 1000
    print(f"| {name} | {p50:.1f} ms | {p99:.1f} ms | {ordered[-1] * 1000:.0f} ms |", flush=True)


def start(podget, folder, size):
    """Seconds from the start to the first frame."""
    screen = Screen(podget, folder, size)
    shown = screen.wait("Catalog") - screen.began
    screen.stop()
    return shown


def keys(podget, folder, size, episodes, podcasts, count):
    """Moves in the list of podcasts and in the library, and filters."""
    screen = Screen(podget, folder, size)
    # The mark of a podcast that is followed: only cells that change are written.
    screen.wait("✓")
    screen.rest(3)
    name = f"{size[0]}x{size[1]}"
    # Each key is followed by the one that leads back, so that each has an answer.
    moves = [("j", "k")] * 3 + [("\x1b[6~", "\x1b[5~"), ("G", "\x1b[H"), ("\x04", "\x15")]
    row(f"{name}, moves in {podcasts:,} podcasts",
        [screen.answer(key) for _ in range(count // 2) for key in random.choice(moves)])
    screen.answer("\t")
    screen.wait("complete")
    screen.rest(3)
    row(f"{name}, moves in {episodes:,} episodes",
        [screen.answer(key) for _ in range(count // 2) for key in random.choice(moves)])
    row(f"{name}, marks of {episodes:,} episodes",
        [screen.answer(" ") for _ in range(count)])
    screen.answer("\x1b[H")
    filters = []
    screen.answer("f")
    for _ in range(count // 20):
        filters += [screen.answer(letter) for letter in "river"]
        screen.answer("\x15")
    screen.answer("\x1b")
    row(f"{name}, letters of a filter over {episodes:,} episodes", filters)
    row(f"{name}, another order of {episodes:,} episodes",
        [screen.answer("t") for _ in range(max(12, count // 5))])
    screen.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--podget", required=True)
    parser.add_argument("--keys", type=int, default=500)
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--podcasts", type=int, default=2_000)
    parser.add_argument("sizes", nargs="*", default=["80x24", "200x50"])
    options = parser.parse_args()
    podget = os.path.abspath(options.podget)
    sizes = [tuple(int(number) for number in size.split("x")) for size in options.sizes]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / "library"
        library.make(folder, options.episodes, options.podcasts)
        follow(folder, options.podcasts)
        # The index is made once.
        subprocess.run([podget, "list", "--latest", "1", "--library", str(folder)],
                       stdout=subprocess.DEVNULL, check=True)
        print("| what | p50 | p99 | highest |\n|---|---|---|---|")
        for size in sizes:
            row(f"{size[0]}x{size[1]}, start to the first frame",
                [start(podget, folder, size) for _ in range(options.starts)])
            keys(podget, folder, size, options.episodes, options.podcasts, options.keys)


if __name__ == "__main__":
    main()
