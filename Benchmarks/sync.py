"""Measures podget sync: feeds from nginx on loopback, and feeds behind a delay."""

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

from growth import draw

EPISODES = 200
LATENCY = 0.08

CONFIGURATION = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/errors;
events {{ worker_connections 4096; }}
http {{
  access_log {folder}/access.log; sendfile on; keepalive_requests 1000000; etag on;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  types {{ audio/mpeg mp3; application/rss+xml xml; }}
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def feed(number, origin, episodes):
    items = "".join(
        f"<item><title>Episode {k}</title><guid>{number}-{k}</guid>"
        f"<pubDate>{1 + k % 28:02d} Jan {2000 + k // 28} 06:00:00 GMT</pubDate>"
        f'<enclosure url="{origin}/e.mp3?{number}-{k}" type="audio/mpeg" length="10000"/></item>'
        for k in range(episodes, 0, -1))
    return f'<rss version="2.0"><channel><title>Show {number}</title>{items}</channel></rss>'


class Run:
    """A library and the program that is measured."""

    def __init__(self, podget, folder):
        self.podget = podget
        self.environment = dict(
            os.environ, HOME=str(folder), PODGET_LIBRARY=str(folder / "library"),
            no_proxy="127.0.0.1", PODGET_RETRIES="0", PODGET_LATEST="1")

    def __call__(self, *arguments, status=0):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        process = subprocess.run(
            [self.podget, *arguments], env=self.environment, capture_output=True)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if process.returncode != status:
            raise SystemExit(f"podget {arguments}: {process.returncode} {process.stderr[-500:]}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return wall, cpu

    def memory(self, *arguments):
        """The highest RssAnon in MiB, sampled every 2 ms."""
        process = subprocess.Popen(
            [self.podget, *arguments], env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            try:
                for line in open(f"/proc/{process.pid}/status"):
                    if line.startswith("RssAnon"):
                        peak = max(peak, int(line.split()[1]))
            except (FileNotFoundError, ProcessLookupError):
                pass
            time.sleep(0.002)
        return peak / 1024


def subscribe(run, folder, addresses):
    lines = "".join(f'<outline type="rss" text="Show {n}" xmlUrl="{a}"/>' for n, a in enumerate(addresses))
    (folder / "list.opml").write_text(f'<opml version="2.0"><body>{lines}</body></opml>')
    run("import", str(folder / "list.opml"), "-q")


def medians(times):
    return " / ".join(f"{statistics.median(column):.3f}" for column in zip(*times))


@contextlib.contextmanager
def served(count):
    """Feeds that nginx serves on loopback: their folder, and their origin."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="podget-sync-"))
    (folder / "www").mkdir()
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    frame = bytes([0xFF, 0xFB, 0x90, 0x64]) + bytes(413)
    (folder / "www/e.mp3").write_bytes(frame * 24)
    for number in range(count):
        (folder / f"www/{number}.xml").write_text(feed(number, origin, EPISODES))
    (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=port))
    nginx = subprocess.Popen(["nginx", "-e", "stderr", "-c", str(folder / "nginx.conf")])
    try:
        time.sleep(0.5)
        yield folder, origin
    finally:
        nginx.terminate()
        nginx.wait()
        shutil.rmtree(folder)


def on_loopback(podget, count, rounds):
    with served(count) as (folder, origin):
        run = Run(podget, folder)
        subscribe(run, folder, [f"{origin}/{n}.xml" for n in range(count)])
        first = run("sync", "-q")
        quiet = ["sync", "-q"]
        run(*quiet)
        (folder / "access.log").write_text("")
        nothing = [run(*quiet) for _ in range(rounds)]
        time.sleep(0.2)
        requests = len((folder / "access.log").read_text().splitlines()) / rounds
        memory = max(run.memory(*quiet) for _ in range(3))
        some = []
        for step in range(rounds):
            for number in range(0, count, 10):
                text = feed(number, origin, EPISODES + 1 + step)
                (folder / f"www/{number}.xml").write_text(text)
            some.append(run(*quiet))
        for number in range(0, count, 10):
            (folder / f"www/{number}.xml").unlink()
        failing = [run(*quiet, status=1) for _ in range(rounds)]
        print(
            f"| {count} | {first[0]:.2f} / {first[1]:.2f} | {medians(nothing)} | {requests:.0f} "
            f"| {memory:.1f} MiB | {medians(some)} | {medians(failing)} |", flush=True)
        return statistics.median(wall for wall, _ in nothing) * 1000


class Peers:
    """Other programs that follow feeds, each with a state of its own below a folder."""

    def __init__(self, folder, addresses):
        self.folder = folder
        self.addresses = addresses
        self.environment = dict(
            os.environ, HOME=str(folder), XDG_CONFIG_HOME=str(folder / "config"),
            GPODDER_HOME=str(folder / "gpodder"), GPODDER_DOWNLOAD_DIR=str(folder / "gpodder"),
            no_proxy="127.0.0.1")
        (folder / "config").mkdir()
        (folder / "gpodder").mkdir()

    def run(self, *command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        process = subprocess.run(command, env=self.environment, capture_output=True)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if process.returncode != 0:
            raise SystemExit(f"{command}: {process.returncode} {process.stderr[-500:]}")
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def commands(self):
        """For each program that is installed its check of all feeds, which may change nothing."""
        urls, folder = self.folder / "urls", self.folder
        if shutil.which("gpo"):
            self.run("gpo", "import", str(folder / "list.opml"))
            yield "gpo update", ["gpo", "update"]
        if shutil.which("newsboat"):
            urls.write_text("".join(f"{address}\n" for address in self.addresses))
            yield "newsboat -x reload", [
                "newsboat", "-u", str(urls), "-c", str(folder / "cache"), "-x", "reload"]
        if shutil.which("podcast-archiver"):
            (folder / "archive").mkdir()
            feeds = [word for address in self.addresses for word in ("-f", address)]
            yield "podcast-archiver", [
                "podcast-archiver", "-d", str(folder / "archive"), "-m", "1", "-q",
                "--database", str(folder / "archive.db"), *feeds]
        if shutil.which("greg"):
            (folder / "greg").mkdir()
            configuration = folder / "greg.conf"
            configuration.write_text(
                f"[DEFAULT]\ndownload directory = {folder}/greg\nfirstsync = 1\n")
            greg = ["greg", "-cf", str(configuration), "-dtd", str(folder / "greg")]
            for number, address in enumerate(self.addresses):
                self.run(*greg, "add", f"f{number}", address)
            yield "greg sync", [*greg, "sync"]


def beside_peers(podget, count, rounds):
    """A check of feeds that have nothing new, by podget and by the peers, in random order."""
    with served(count) as (folder, origin):
        addresses = [f"{origin}/{n}.xml" for n in range(count)]
        run = Run(podget, folder)
        subscribe(run, folder, addresses)
        peers = Peers(folder, addresses)
        measured = {"podget sync": lambda: run("sync", "-q")}
        for name, command in peers.commands():
            measured[name] = lambda command=command: peers.run(*command)
        times = {name: [] for name in measured}
        requests = {name: [] for name in measured}
        for step in range(rounds + 2):
            for name in random.sample(list(measured), len(measured)):
                (folder / "access.log").write_text("")
                taken = measured[name]()
                time.sleep(0.2)
                lines = (folder / "access.log").read_text().splitlines()
                # The first two are the first sync and what it leaves for the next one.
                if step >= 2:
                    times[name].append(taken)
                    conditional = sum(1 for line in lines if '" 304 ' in line)
                    requests[name].append((len(lines), conditional))
        for name in measured:
            asked, conditional = (statistics.median(column) for column in zip(*requests[name]))
            print(f"| {count} | `{name}` | {medians(times[name])} | {asked:.0f} | {conditional:.0f} |",
                  flush=True)


async def answer(reader, writer, body):
    # The handshake of a connection takes a round trip, and each request another one.
    await asyncio.sleep(LATENCY)
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(LATENCY)
            if b"if-none-match" in head.lower():
                writer.write(b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n')
            else:
                writer.write(
                    b'HTTP/1.1 200 OK\r\nETag: "1"\r\nContent-Type: application/rss+xml\r\n'
                    + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def serve_far(ports):
    async def main():
        for port in ports:
            body = feed(port, f"http://127.0.0.1:{port}", 0).encode()
            await asyncio.start_server(
                lambda r, w, body=body: answer(r, w, body), "127.0.0.1", port)
        await asyncio.Event().wait()
    asyncio.run(main())


def far_away(podget, rounds):
    """50 feeds on 10 hosts, each 80 ms away; the critical path is that of the same limits."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="podget-sync-"))
    ports = [free_port() for _ in range(10)]
    server = multiprocessing.Process(target=serve_far, args=(ports,), daemon=True)
    server.start()
    try:
        time.sleep(0.5)
        run = Run(podget, folder)
        addresses = [f"http://127.0.0.1:{p}/{n}.xml" for n in range(5) for p in ports]
        subscribe(run, folder, addresses)
        command = ["sync", "-q"]
        run(*command)
        times = [run(*command) for _ in range(rounds)]
        print(f"50 feeds on 10 hosts, 80 ms away, nothing new: {medians(times)} s; "
              f"the critical path is {critical_path(len(ports), 5):.3f} s")
    finally:
        server.terminate()
        shutil.rmtree(folder)


def critical_path(hosts, per_host, at_once=16, at_host=4):
    """A schedule that opens a connection only where no idle one is left: two round trips, then one."""
    waiting = [per_host] * hosts
    idle = [0] * hosts
    running = []  # (end, host)
    now = 0.0
    while any(waiting) or running:
        for host in sorted(range(hosts), key=lambda h: -waiting[h]):
            busy = sum(1 for _, h in running if h == host)
            if waiting[host] and len(running) < at_once and busy < at_host:
                cost = LATENCY if idle[host] else 2 * LATENCY
                idle[host] = max(0, idle[host] - 1)
                waiting[host] -= 1
                running.append((now + cost, host))
        running.sort()
        now, host = running.pop(0)
        idle[host] += 1
    return now


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--podget", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("counts", nargs="*", type=int, default=[10, 50, 200, 1000, 2000])
    options = parser.parse_args()
    if options.peers:
        print("Nothing new; seconds, wall / CPU of the client, medians")
        print("| subscriptions | command | nothing new | requests | of them 304 |\n|---|---|---|---|---|")
        for count in options.counts:
            beside_peers(options.podget, count, options.rounds)
        return
    print(f"{EPISODES} episodes a feed; seconds, wall / CPU of the client, medians")
    print("| subscriptions | first sync | nothing new | requests | RssAnon "
          "| one in ten has an episode | one in ten fails |")
    print("|---|---|---|---|---|---|---|")
    counts = options.counts or [10, 50, 200, 1000, 2000]
    times = {count: on_loopback(options.podget, count, options.rounds) for count in counts}
    draw("subscriptions", "nothing new, milliseconds", times)
    print()
    far_away(options.podget, options.rounds)


if __name__ == "__main__":
    main()
