"""Runs podget sync --watch against servers that misbehave, and checks what it kept."""

import argparse
import collections
import email.utils
import hashlib
import http.server
import json
import os
import pathlib
import random
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

FEEDS = 30
HOSTS = 6
FIRST_EPISODES = 8
# Seconds between two new episodes of one feed: at least, at most.
PACE = (120, 600)
# The network is down for so many seconds after so many.
OUTAGE, BETWEEN_OUTAGES = 25, 600

# What a server does with a request, and how often of a thousand times.
FEED_FAULTS = {
    "cut": 40, "reset": 40, "error": 40, "busy": 30, "limited": 20, "gone": 10, "missing": 20,
    "page": 20, "lie": 20, "empty": 20, "redirect": 30, "slow": 20, "silent": 5,
}
MEDIA_FAULTS = {
    "cut": 120, "reset": 60, "error": 60, "busy": 30, "missing": 10, "page": 20, "redirect": 40,
    "slow": 20, "whole": 30, "silent": 5,
}

# MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes a frame.
FRAME_HEADER = bytes.fromhex("fffb9000")
FRAME_BODY = 413


def audio(feed, number):
    """The bytes of an episode: the same at each call."""
    source = random.Random(f"{feed}/{number}")
    frames = source.randint(120, 3000)
    noise = source.randbytes(FRAME_BODY * 64).replace(b"\xff", b"\xfe")
    return b"".join(
        FRAME_HEADER + noise[at:at + FRAME_BODY]
        for at in (source.randrange(63 * FRAME_BODY) for _ in range(frames)))


class World:
    """What is published, and the course of events."""

    def __init__(self, seed):
        self.source = random.Random(seed)
        self.lock = threading.Lock()
        self.start = time.time()
        self.honest = False
        self.ports = []
        self.answers = collections.Counter()
        self.published = [FIRST_EPISODES] * FEEDS
        self.next = [self.start + self.source.uniform(*PACE) for _ in range(FEEDS)]

    def fault(self, faults):
        with self.lock:
            if self.honest:
                return None
            if (time.time() - self.start) % (BETWEEN_OUTAGES + OUTAGE) > BETWEEN_OUTAGES:
                return "reset"
            at = self.source.randrange(1000)
        for name, share in faults.items():
            at -= share
            if at < 0:
                return name
        return None

    def count(self, feed):
        with self.lock:
            while not self.honest and time.time() >= self.next[feed]:
                self.published[feed] += 1
                self.next[feed] += self.source.uniform(*PACE)
            return self.published[feed]

    def origin(self, feed):
        return f"http://127.0.0.1:{self.ports[feed % HOSTS]}"

    def feed(self, feed):
        origin = self.origin(feed)
        items = "".join(
            f"<item><title>Episode {n}</title><guid>{feed}-{n}</guid>"
            f"<pubDate>{email.utils.formatdate(1_700_000_000 + n * 86400 + feed)}</pubDate>"
            f'<enclosure url="{origin}/audio/{feed}/{n}.mp3" type="audio/mpeg" length="0"/></item>'
            for n in range(self.count(feed), 0, -1))
        return (f'<rss version="2.0"><channel><title>Show {feed}</title>{items}</channel></rss>'
                ).encode()


def handler(world):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            parts = self.path.split("?")[0].strip("/").split("/")
            is_feed = parts[0] == "feed"
            fault = world.fault(FEED_FAULTS if is_feed else MEDIA_FAULTS)
            if "moved" in self.path and fault == "redirect":
                fault = None
            with world.lock:
                world.answers[("feed" if is_feed else "media", fault or "right")] += 1
            feed = int(parts[1].removesuffix(".xml"))
            if is_feed:
                body = world.feed((feed + HOSTS) % FEEDS if fault == "lie" else feed)
                kind = "application/rss+xml"
            else:
                body, kind = audio(feed, int(parts[2].removesuffix(".mp3"))), "audio/mpeg"
            if fault == "empty":
                body = f'<rss version="2.0"><channel><title>Show {feed}</title></channel></rss>'.encode()
            if fault == "page":
                body, kind = b"<!DOCTYPE html><html><body>Down for maintenance</body></html>", "text/html"
            self.answer(fault, body, kind)

        def answer(self, fault, body, kind):
            if fault == "reset":
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.close_connection = True
                return
            if fault == "silent":
                time.sleep(12)
            refusals = {"error": 500, "busy": 503, "limited": 429, "gone": 410, "missing": 404}
            if fault in refusals:
                self.send_response(refusals[fault])
                if fault in ("busy", "limited"):
                    self.send_header("Retry-After", str(random.randint(1, 4)))
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if fault == "redirect":
                self.send_response(random.choice((301, 302, 307, 308)))
                self.send_header("Location", self.path.split("?")[0] + "?moved=1")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return

            tag = '"' + hashlib.md5(body).hexdigest() + '"'
            if self.headers.get("If-None-Match") == tag:
                with world.lock:
                    world.answers[("feed", "304")] += 1
                self.send_response(304)
                self.send_header("ETag", tag)
                self.end_headers()
                return
            first = 0
            wanted = self.headers.get("Range", "")
            fits = self.headers.get("If-Range", tag) == tag
            if wanted.startswith("bytes=") and fits and fault != "whole":
                first = int(wanted[6:].split("-")[0] or 0)
            if first >= len(body) > 0:
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(body)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206 if first else 200)
            if first:
                self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
            self.send_header("ETag", tag)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body) - first))
            self.end_headers()
            rest = body[first:]
            if fault == "cut":
                rest = rest[:random.randrange(len(rest) or 1)]
                self.close_connection = True
            if fault == "slow":
                for at in range(0, len(rest), 65536):
                    self.wfile.write(rest[at:at + 65536])
                    time.sleep(0.2)
            else:
                self.wfile.write(rest)

    return Handler


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        # A client that goes away is part of the course of events.
        pass


def sample(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    return (
        int(fields["RssAnon"].split()[0]), int(fields["Threads"]),
        len(os.listdir(f"/proc/{pid}/fd")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", nargs="?", type=float, default=120)
    parser.add_argument("--podget", required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    world = World(options.seed)
    for _ in range(HOSTS):
        server = Server(("127.0.0.1", 0), handler(world))
        world.ports.append(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    with tempfile.TemporaryDirectory(prefix="podget-watch-") as folder:
        sys.exit(keep(world, pathlib.Path(folder), options))


def keep(world, folder, options):
    library = folder / "library"
    environment = {
        name: value for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and not name.startswith("PODGET")
    } | {"HOME": str(folder), "PODGET_LIBRARY": str(library), "LC_ALL": "C.UTF-8"}

    def podget(*arguments):
        return subprocess.run(
            [options.podget, *arguments], env=environment, capture_output=True, text=True)

    sources = [f"{world.origin(feed)}/feed/{feed}.xml" for feed in range(FEEDS)]
    world.honest = True
    subscribed = podget("subscribe", "--all", "--json", *sources)
    if subscribed.returncode != 0:
        print(subscribed.stderr)
        return 1
    world.honest = False

    log = open(folder / "watch.log", "w")
    watch = subprocess.Popen(
        [options.podget, "sync", "--watch", "--interval", "10s", "--stall-timeout", "8"],
        env=environment, stdout=log, stderr=log)
    samples = []
    end = time.time() + options.minutes * 60
    while time.time() < end:
        time.sleep(min(5, max(0, end - time.time())))
        if watch.poll() is not None:
            print(f"podget ended with {watch.returncode}")
            print((folder / "watch.log").read_text()[-2000:])
            return 1
        samples.append(sample(watch.pid))
        if len(samples) % 120 == 0:
            anonymous, threads, descriptors = samples[-1]
            print(f"{len(samples) * 5 // 60:4d} min: {sum(world.answers.values())} answers, "
                  f"RssAnon {anonymous / 1024:.1f} MiB, {threads} threads, "
                  f"{descriptors} descriptors", flush=True)
    watch.send_signal(signal.SIGTERM)
    status = watch.wait(timeout=30)

    # What a fault left unfinished comes with one more run; named podcasts are tried at once.
    world.honest = True
    names = [row["name"] for row in json.loads(podget("subscriptions", "--json").stdout)]
    last = podget("sync", *names)
    listed = json.loads(podget("list", "--json").stdout)
    verified = podget("verify", "--json")
    return report(world, library, samples, status, last, listed, verified)


def report(world, library, samples, status, last, listed, verified):
    faults = []
    if status != 143:
        faults.append(f"SIGTERM ended podget with {status}")
    if last.returncode != 0:
        faults.append(f"the last sync: status {last.returncode}: {last.stderr[-1000:]}")
    found = collections.defaultdict(list)
    for row in listed:
        found[row["episode"]["guid"]].append(row)
    expected = 0
    for feed in range(FEEDS):
        for number in range(1, world.published[feed] + 1):
            expected += 1
            rows = found.pop(f"{feed}-{number}", [])
            if len(rows) != 1:
                faults.append(f"episode {feed}-{number} is there {len(rows)} times")
            elif rows[0]["status"] != "complete":
                faults.append(f"episode {feed}-{number} is {rows[0]['status']}")
            elif (library / rows[0]["path"]).read_bytes() != audio(feed, number):
                faults.append(f"episode {feed}-{number} has other bytes")
    faults += [f"episode {guid} was never published" for guid in found]
    media = sum(1 for path in library.rglob("*.mp3") if ".podget" not in path.parts)
    if media != expected:
        faults.append(f"{media} files for {expected} episodes")
    if verified.returncode != 0:
        faults.append(f"verify: status {verified.returncode}: {verified.stderr[-1000:]}")
    right = sum(1 for row in json.loads(verified.stdout or "[]") if row["status"] == "ok")

    half = samples[len(samples) // 2:]
    print(f"answers: {sum(world.answers.values())}")
    for (what, fault), count in sorted(world.answers.items()):
        print(f"  {what} {fault}: {count}")
    print(f"episodes: {expected}; verify: {right} right")
    for name, at, unit in (("RssAnon", 0, 1024), ("threads", 1, 1), ("descriptors", 2, 1)):
        values = [sample[at] / unit for sample in samples]
        late = [sample[at] / unit for sample in half]
        print(f"{name}: median {statistics.median(values):.1f}, second half "
              f"{statistics.median(late):.1f}, highest {max(values):.1f}")
    for fault in faults[:50]:
        print(f"FAULT: {fault}")
    print("wrong" if faults else "right")
    return 1 if faults else 0


main()
