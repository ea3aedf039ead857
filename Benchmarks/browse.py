"""Measures how soon podget browse answers keys, on a terminal that takes 1 MB/s, as Markdown."""

import argparse
import fcntl
import hashlib
import os
import pathlib
import pty
import random
import select
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import tempfile
import termios
import time
import zlib

MIB = 1 << 20
# What the terminal takes, and in what pieces.
RATE = 1_000_000
PIECE = 1024
EPISODES = 10_000
# The newest episodes, which are large.
LARGE = 60
LARGE_BYTES = 512 * MIB
PATIENCE = 10
# Between two keys, as a person types fast; never the same, so that nothing keeps pace with it.
PAUSE = (0.002, 0.012)

CONFIGURATION = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; etag on;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{
    listen 127.0.0.1:{port};
    location = /feed.xml {{ default_type application/rss+xml; alias {folder}/feed.xml; }}
    location /large/ {{ default_type audio/mpeg; alias {folder}/large/; }}
    location /artwork/ {{ default_type image/png; alias {folder}/artwork/; }}
  }}
}}
"""


def title(number):
    """A title of which no character is that of the row above or below: a change writes all of it."""
    letters = []
    for place in range(25):
        step = int.from_bytes(hashlib.blake2b(bytes([place]), digest_size=2).digest(), "big")
        letters.append(chr(ord("a") + (number * (1 + step % 7) + step) % 26))
    return f"{''.join(letters)}{number:05}"


def paragraph(number, line):
    """A line of notes, likewise."""
    return title(number * 1000 + line)


def feed(origin):
    """A feed of many episodes, the newest first; the newest have notes and an artwork."""
    yield ('<?xml version="1.0"?><rss version="2.0" '
           'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>'
           '<title>Bench</title>')
    for number in range(EPISODES):
        date = time.strftime("%a, %d %b %Y 06:00:00 GMT", time.gmtime(1.7e9 - number * 86_400))
        path = f"large/{number}.mp3" if number < LARGE else f"small/{number}.mp3"
        yield (f"<item><title>{title(number)}</title><guid>{number}</guid>"
               f"<pubDate>{date}</pubDate><itunes:duration>3600</itunes:duration>"
               f'<enclosure url="{origin}/{path}" type="audio/mpeg" length="{LARGE_BYTES}"/>')
        if number < LARGE:
            notes = "".join(f"&lt;p&gt;{paragraph(number, line)}&lt;/p&gt;" for line in range(200))
            yield (f'<itunes:image href="{origin}/artwork/{number}.png"/>'
                   f"<description>{notes}</description>")
        yield "</item>\n"
    yield "</channel></rss>"


def picture(seed):
    """A PNG of noise, which nothing compresses: the most bytes that an artwork can have."""
    side = 300
    noise = random.Random(seed)
    rows = b"".join(b"\0" + noise.randbytes(side * 3) for _ in range(side))

    def chunk(kind, data):
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1))
            + chunk(b"IEND", b""))


def prefer():
    """Lets this process go before those that are measured: its own waits for a processor are none of
    podget's. It needs root, and does without."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    except PermissionError:
        pass


def be_ordinary():
    os.setpriority(os.PRIO_PROCESS, 0, 0)


class Server:
    """The feed, the episodes and the artworks, served by nginx at full speed."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.origin = f"http://127.0.0.1:{port}"
        (folder / "feed.xml").write_text("".join(feed(self.origin)))
        (folder / "large").mkdir()
        (folder / "artwork").mkdir()
        data = folder / "large" / "0.mp3"
        with open(data, "wb") as file:
            file.write(b"ID3\x04\x00\x00\x00\x00\x00\x00" + os.urandom(16 * MIB - 10))
            block = os.urandom(16 * MIB)
            for _ in range(LARGE_BYTES // (16 * MIB) - 1):
                file.write(block)
        for number in range(1, LARGE):
            os.link(data, folder / "large" / f"{number}.mp3")
        for number in range(LARGE):
            (folder / "artwork" / f"{number}.png").write_bytes(picture(number))
        configuration = folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder, port=port))
        self.process = subprocess.Popen(
            ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(configuration)],
            preexec_fn=be_ordinary)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit("browse: nginx does not listen")

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Terminal:
    """podget browse on a pseudo-terminal that is read at 1 MB/s and no faster."""

    def __init__(self, podget, size, arguments, library, origin):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            be_ordinary()
            environment = {
                "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8",
                "HOME": str(library), "no_proxy": "127.0.0.1", "PODGET_ITUNES_URL": origin,
            }
            command = [podget, "browse", *arguments, "--library", str(library)]
            os.execve(podget, command, environment)
        columns, rows = size
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, columns * 10, rows * 20))
        os.kill(self.pid, signal.SIGWINCH)
        self.seen = b""
        self.count = 0
        self.ready = time.perf_counter()

    def type(self, keys):
        os.write(self.descriptor, keys.encode())

    def read(self, until):
        """Reads the next piece, if one comes before then and the pace allows it."""
        now = time.perf_counter()
        if self.ready > now:
            time.sleep(max(0, min(self.ready, until) - now))
            if self.ready > until:
                return
        wait = max(0, until - time.perf_counter())
        if not select.select([self.descriptor], [], [], wait)[0]:
            return
        piece = os.read(self.descriptor, PIECE)
        self.seen = (self.seen + piece)[-65_536:]
        self.count += len(piece)
        # A pause is not made up for by a burst.
        self.ready = max(self.ready, time.perf_counter() - 0.001) + len(piece) / RATE

    def wait(self, text, patience=PATIENCE):
        """Reads until a text has come since the last key; the time at which its end was read."""
        text = text.encode()
        end = time.perf_counter() + patience
        while text not in self.seen:
            if time.perf_counter() > end:
                raise SystemExit(f"browse: {text} does not come: {self.seen[-3000:]}")
            self.read(end)
        return time.perf_counter()

    def pause(self, seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.read(end)

    def answer(self, key, text):
        """Types a key, and measures until the row that it selects or brings has been read."""
        self.seen = b""
        start = time.perf_counter()
        self.type(key)
        return self.wait(text) - start

    def stop(self):
        self.type("\x7f\x7fq")
        end = time.perf_counter() + PATIENCE
        while time.perf_counter() < end:
            try:
                self.read(end)
            except OSError:
                break
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)


class Echo:
    """cat on a pseudo-terminal of its own: how soon the system itself brings a key there and back."""

    def __init__(self):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            be_ordinary()
            os.execv("/bin/cat", ["cat"])
        attributes = termios.tcgetattr(self.descriptor)
        attributes[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(self.descriptor, termios.TCSANOW, attributes)
        self.times = []

    def measure(self):
        start = time.perf_counter()
        os.write(self.descriptor, b"x")
        os.read(self.descriptor, 16)
        self.times.append(time.perf_counter() - start)

    def stop(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)


def bytes_in(folder):
    """The bytes of all files below a folder; some may go meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_blocks * 512
        except OSError:
            pass
    return total


def below(size):
    """The number of the last line of notes on the screen: above are the tabs, an artwork beside the
    title, and a line; below is the status."""
    return size[1] - 3 - min(max(size[1] // 4, 5), 12) - 1


class Bench:
    def __init__(self, podget, keys, folder):
        self.podget = podget
        self.keys = keys
        self.folder = folder
        self.server = Server(folder)

    def terminal(self, size, *arguments):
        self.library = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        feed = f"{self.server.origin}/feed.xml"
        terminal = Terminal(
            self.podget, size, [feed, "--jobs-per-host", "4", *arguments], self.library,
            self.server.origin)
        terminal.wait(title(0))
        return terminal

    def start_downloads(self, terminal, count):
        """Asks for the newest episodes, and returns to the first row."""
        for number in range(count):
            terminal.type("dj")
            terminal.pause(0.002)
        terminal.type("\x1b[H")
        terminal.pause(0.5)
        self.began = (bytes_in(self.library), time.perf_counter())

    def rate(self):
        """Bytes a second that reached the disk since the downloads began."""
        before, start = self.began
        return (bytes_in(self.library) - before) / (time.perf_counter() - start)

    def end(self, terminal):
        terminal.stop()
        shutil.rmtree(self.library)

    def moves(self, size, downloads):
        """Moves up and down through the rows of the episodes that are downloaded."""
        terminal = self.terminal(size, "--images", "none")
        if downloads:
            self.start_downloads(terminal, LARGE)
        times, place, step, echo = [], 0, 1, Echo()
        last = min(LARGE, size[1] - 5)
        for _ in range(self.keys):
            if not 0 <= place + step <= last:
                step = -step
            place += step
            times.append(terminal.answer("j" if step > 0 else "k", title(place)))
            terminal.pause(random.uniform(*PAUSE))
            echo.measure()
            terminal.pause(random.uniform(*PAUSE))
        rate = self.rate() if downloads else 0
        echo.stop()
        self.end(terminal)
        return times, rate, echo.times

    def images(self, size):
        """Scrolls the notes of an episode while its artwork is being sent, with downloads running."""
        terminal = self.terminal(size, "--images", "kitty")
        self.start_downloads(terminal, LARGE)
        times, echo = [], Echo()
        for number in range(LARGE):
            if len(times) >= self.keys:
                break
            terminal.seen = b""
            terminal.type("\r")
            # The first part of the image; the last one says m=0.
            terminal.wait("\x1b_Ga=t")
            line, shown = 0, b""
            while b"m=0;" not in shown and len(times) < self.keys:
                line += 1
                times.append(terminal.answer("j", paragraph(number, below(size) + line)))
                shown = terminal.seen
                echo.measure()
            terminal.type("\x7f")
            terminal.pause(0.2)
            terminal.type("j")
            terminal.pause(0.05)
        rate = self.rate()
        echo.stop()
        self.end(terminal)
        return times, rate, echo.times

    def scroll(self, size):
        """Goes down through all episodes, one row at a time; rows a second, and bytes of each."""
        terminal = self.terminal(size, "--images", "none")
        before, start = terminal.count, time.perf_counter()
        for number in range(1, EPISODES):
            terminal.answer("j", title(number))
        seconds = time.perf_counter() - start
        count = terminal.count - before
        self.end(terminal)
        return EPISODES / seconds, count / EPISODES


def percentiles(times):
    ordered = sorted(times)
    p50, p99 = (statistics.quantiles(ordered, n=100)[place] * 1000 for place in (49, 98))
    return f"{p50:.1f} ms | {p99:.1f} ms | {ordered[-1] * 1000:.0f} ms"


def line(what, times, rate, echoes):
    downloads = f"{rate / MIB:.0f} MiB/s" if rate else "none"
    return f"| {what} | {downloads} | {percentiles(times)} | {percentiles(echoes)} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--podget", required=True)
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("sizes", nargs="*", default=["80x24", "200x50"])
    options = parser.parse_args()
    prefer()
    sizes = [tuple(int(number) for number in size.split("x")) for size in options.sizes]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(options.podget), options.keys, pathlib.Path(folder))
        try:
            print("| keys | downloads | p50 | p99 | highest | echo p50 | echo p99 | echo highest |\n"
                  "|---|---|---|---|---|---|---|---|")
            for size in sizes:
                name = f"{size[0]}x{size[1]}"
                print(line(f"{name}, nothing else", *bench.moves(size, False)), flush=True)
                print(line(f"{name}, four downloads", *bench.moves(size, True)), flush=True)
                print(line(f"{name}, and an image being sent", *bench.images(size)), flush=True)
            print("\n| 10,000 episodes | rows a second | bytes a row |\n|---|---|---|")
            for size in sizes:
                rows, count = bench.scroll(size)
                print(f"| {size[0]}x{size[1]} | {rows:.0f} | {count:.0f} |", flush=True)
        finally:
            bench.server.stop()


main()
