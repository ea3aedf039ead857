"""Makes large libraries and measures what podget's commands take on them, as Markdown."""

import argparse
import hashlib
import http.server
import itertools
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

START = 1_167_609_600
DAY = 86_400
WORDS = (
    "The a of on with from in Old New Great small history letter voice night river city war peace "
    "music science story question answer friend money ocean Größe été naïve 東京 поезд garden"
).split()


def title(seed, words):
    """A title of some words, always the same for the same seed."""
    digest = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    return " ".join(WORDS[byte % len(WORDS)] for byte in digest[:words])


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def audio(position):
    """Ten MPEG frames of 128 kbit/s at 44,100 Hz, unlike those of any other episode."""
    frame = bytes([0xFF, 0xFB, 0x90, 0x64]) + bytes(413)
    return frame * 9 + frame[:200] + position.to_bytes(8, "big") + frame[208:]


def make(folder, episodes, podcasts):
    """A library of finished episodes as podget leaves it, but that the files are short."""
    folder.mkdir(parents=True)
    (folder / ".podget").mkdir()
    for number in range(podcasts):
        show = f"{title(number, 3)} {number}"
        home = folder / show
        home.mkdir()
        podcast = {"feedUrl": f"https://feeds.example/{number}/rss", "id": 10_000_000 + number,
                   "title": show}
        lines = [{"fact": "podcast", "podcast": podcast, "version": 1}]
        for position in range(number, episodes, podcasts):
            name = f"{position} - {title(-position, 8)}"
            date = START + position * 7919 % (18 * 365) * DAY + position % DAY
            data = audio(position)
            file = f"{stamp(date)[:10]} - {name}.mp3"
            identity = hashlib.sha256(str(position).encode()).hexdigest()
            lines.append({
                "bytes": len(data), "downloadedAt": stamp(date + DAY),
                "episode": {
                    "date": stamp(date), "duration": 600 + position % 7200,
                    "guid": f"{identity[:8]}-{identity[8:12]}-4000-8000-{identity[12:24]}",
                    "id": 1_000_000_000_000 + position, "length": len(data),
                    "mimeType": "audio/mpeg", "title": name,
                    "url": f"https://media.example/{number}/{identity[:16]}/{position}.mp3"},
                "fact": "finished", "file": file, "key": identity[:32], "podcast": podcast,
                "sha256": hashlib.sha256(data).hexdigest(), "version": 1})
            (home / file).write_bytes(data)
        text = "\n".join(
            json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
        (home / ".podget.ndjson").write_text(text + "\n")


def run(command):
    """Seconds from spawn to exit and the peak of the resident memory in KiB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {message}")
    return elapsed, usage.ru_maxrss


def measure(rounds, command, before=lambda: None):
    taken = []
    for _ in range(rounds + 1):
        before()
        taken.append(run(command))
    # The first one warms up what the others find warm.
    seconds = sorted(elapsed for elapsed, _ in taken[1:])
    return statistics.median(seconds), seconds[0], max(memory for _, memory in taken[1:])


def forget(folder):
    for file in (folder / ".podget").glob("library.sqlite*"):
        file.unlink()


class Directory(http.server.BaseHTTPRequestHandler):
    """Answers lookups of the first podcast with what the library has of it."""

    # One answer for all requests: making it would take longer than the command that asks.
    body = b""

    @classmethod
    def answer_for(cls, folder):
        """Makes the answer from the records of a library."""
        show = sorted(folder.glob("*/.podget.ndjson"))[0]
        lines = [json.loads(line) for line in show.read_text().splitlines()]
        podcast = lines[0]["podcast"]
        results = [{"wrapperType": "track", "kind": "podcast", "collectionId": podcast["id"],
                    "collectionName": podcast["title"], "feedUrl": podcast["feedUrl"]}]
        for line in lines[1:]:
            if line["fact"] != "finished":
                continue
            episode = line["episode"]
            results.append({
                "wrapperType": "podcastEpisode", "kind": "podcast-episode",
                "collectionId": podcast["id"], "trackId": episode["id"],
                "trackName": episode["title"], "releaseDate": episode["date"],
                "episodeUrl": episode["url"], "episodeGuid": episode["guid"],
                "episodeFileExtension": "mp3"})
        cls.body = json.dumps({"resultCount": len(results), "results": results[:201]}).encode()

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


def first_podcast(folder):
    """The first podcast's folder and the ids of it and of two of its episodes."""
    home = sorted(path.parent for path in folder.glob("*/.podget.ndjson"))[0]
    lines = (home / ".podget.ndjson").read_text().splitlines()
    first, second = json.loads(lines[1]), json.loads(lines[2])
    return (home, str(first["podcast"]["id"]),
            str(first["episode"]["id"]), str(second["episode"]["id"]))


def commands(podget, folder, episodes):
    """What is measured: a name, the arguments, and what happens before each run."""
    nothing = lambda: None
    home, podcast, starred, episode = first_podcast(folder)
    touched = home / "a name that comes and goes"
    other = folder.parent / f"other tool {folder.name}"
    shutil.copytree(home, other, ignore=shutil.ignore_patterns(".*"))
    public = folder.parent / f"public {folder.name}"
    publish = ["publish", str(public), "--base-url", "https://example.org/"]

    def touch():
        touched.unlink() if touched.exists() else touched.touch()

    def first(*arguments):
        return lambda: run([podget, *arguments, "-d", str(folder), "-q"])

    def toggle(there, back, name):
        """The one and the other command by turns."""
        turns = itertools.cycle([first(there, name), first(back, name)])
        return lambda: next(turns)()

    # Each file is copied, and a program of its own writes into it.
    tags = [
        ("tag, every file", ["tag"], first("tag", "--undo")),
        ("tag, nothing missing", ["tag"], first("tag")),
        ("tag --undo, every file", ["tag", "--undo"], first("tag")),
    ] if episodes <= 10_000 else []
    return [
        ("list", ["list"], nothing),
        ("list --json", ["list", "--json"], nothing),
        ("list PODCAST", ["list", home.name], nothing),
        ("list --match garden", ["list", "--match", "garden"], nothing),
        ("list --latest 20", ["list", "--latest", "20"], nothing),
        ("list --group-by month", ["list", "--group-by", "month"], nothing),
        ("list --sort title", ["list", "--sort", "title"], nothing),
        ("list --latest 20, one folder changed", ["list", "--latest", "20"], touch),
        ("list --latest 20, an episode starred",
         ["list", "--latest", "20"], toggle("star", "unstar", starred)),
        ("list --latest 20, an episode removed",
         ["list", "--latest", "20"], toggle("remove", "restore", episode)),
        ("list --latest 20, index deleted", ["list", "--latest", "20"], lambda: forget(folder)),
        ("download ID, nothing new", ["download", podcast], nothing),
        ("download ID --latest 200, nothing new",
         ["download", podcast, "--latest", "200"], nothing),
        ("resume, nothing unfinished", ["resume"], nothing),
        ("show ID", ["show", podcast], nothing),
        ("star ID", ["star", starred], first("unstar", starred)),
        ("remove ID", ["remove", episode], first("restore", episode)),
        ("restore ID", ["restore", episode], first("remove", episode)),
        ("prune --keep 10 --dry-run", ["prune", "--keep", "10", "--dry-run"], nothing),
        ("rename --dry-run, every file",
         ["rename", "--template", "{podcast}/{date:%Y}/{title}.{ext}", "--dry-run"], nothing),
        # The feed has an address that nothing answers.
        ("adopt DIR ID, all 200 known", ["adopt", str(other), podcast, "--retries", "0"], nothing),
        ("verify", ["verify"], nothing),
        ("publish, first time", publish, lambda: shutil.rmtree(public, ignore_errors=True)),
        ("publish, nothing changed", publish, nothing),
    ] + tags


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--podget", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--podcasts", type=int, help="instead of one for 200 episodes")
    parser.add_argument("--only", default="", help="only commands with these words")
    parser.add_argument("episodes", type=int, nargs="*", default=[10_000, 100_000])
    options = parser.parse_args()
    # A program started from one that holds much memory counts that as its own for a moment.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="podget-library-"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Directory)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["PODGET_ITUNES_URL"] = f"http://127.0.0.1:{server.server_port}"
    try:
        start, least, memory = measure(options.rounds, [options.podget, "--version"])
        print("| episodes | command | median | least | VmHWM |\n|---|---|---|---|---|")
        print(f"| | `--version` | {start * 1000:.1f} ms | {least * 1000:.1f} ms "
              f"| {memory / 1024:.0f} MiB |", flush=True)
        for episodes in options.episodes:
            library = folder / str(episodes)
            make(library, episodes, options.podcasts or max(1, episodes // 200))
            Directory.answer_for(library)
            # Younger folders are looked at again each time.
            time.sleep(4)
            for name, arguments, before in commands(options.podget, library, episodes):
                if options.only not in name:
                    continue
                command = [options.podget, *arguments, "-d", str(library)]
                median, least, memory = measure(options.rounds, command, before)
                print(f"| {episodes:,} | `{name}` | {median * 1000:.0f} ms | {least * 1000:.0f} ms "
                      f"| {memory / 1024:.0f} MiB |", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
