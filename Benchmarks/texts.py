"""Measures searches in the notes and transcripts of a library, as Markdown."""

import argparse
import hashlib
import json
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile
import time

WORDS_OF_NOTES = 150
WORDS_OF_TRANSCRIPT = 8000
WORDS_OF_CAPTION = 10


def vocabulary(chance):
    letters = "abcdefghijklmnopqrtuvwxyz"
    return ["".join(chance.choice(letters) for _ in range(chance.randint(2, 10)))
            for _ in range(20_000)]


def clock(seconds):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000"


def transcript(chance, words):
    lines = ["WEBVTT", ""]
    for number in range(WORDS_OF_TRANSCRIPT // WORDS_OF_CAPTION):
        text = " ".join(chance.choices(words, k=WORDS_OF_CAPTION))
        if chance.random() < 0.0002:
            text += " a fish"
        lines += [f"{clock(4 * number)} --> {clock(4 * number + 4)}",
                  f"<v Speaker {number % 3}>{text}.", ""]
    return "\n".join(lines)


def make(library, episodes):
    """A library of finished episodes with notes and transcripts, and the texts for an index."""
    chance = random.Random(1)
    words = vocabulary(chance)
    for number in range(episodes // 100):
        folder = library / f"Podcast {number}"
        folder.mkdir(parents=True)
        with open(folder / ".podget.ndjson", "w") as record:
            for place in range(100):
                title = f"Episode {place} of {number}"
                key = hashlib.md5(title.encode()).hexdigest()
                roles = {"media": ".mp3", "notes": ".md", "transcript": ".vtt"}
                record.write(json.dumps({
                    "fact": "finished", "version": 2, "key": key,
                    "podcast": {"title": folder.name},
                    "episode": {"title": title, "url": f"https://example.org/{key}",
                                "date": f"2024-{place % 12 + 1:02}-{place % 28 + 1:02}T10:00:00Z"},
                    "files": [{"role": role, "path": title + end} for role, end in roles.items()],
                    "downloadedAt": "2024-12-31T10:00:00Z"}) + "\n")
                (folder / f"{title}.mp3").write_text("abcd")
                notes = " ".join(chance.choices(words, k=WORDS_OF_NOTES))
                (folder / f"{title}.md").write_text(notes + "\n")
                (folder / f"{title}.vtt").write_text(transcript(chance, words))
    return sum(path.stat().st_size for path in library.glob("*/*.*") if path.suffix != ".mp3")


def index(library, file):
    """The same texts in a full-text index of SQLite."""
    start = time.perf_counter()
    database = sqlite3.connect(file)
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(path UNINDEXED, text, content='')")
    paths = [path for path in library.glob("*/*.*") if path.suffix in (".md", ".vtt")]
    database.executemany(
        "INSERT INTO texts (rowid, text) VALUES (?, ?)",
        ((number, path.read_text()) for number, path in enumerate(paths)))
    database.commit()
    database.close()
    return time.perf_counter() - start


def timed(rounds, work):
    taken = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken[1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--podget", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("episodes", type=int, nargs="?", default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "library"
        size = make(library, options.episodes)
        print(f"{options.episodes} episodes, {size / 1e6:.0f} MB of notes and transcripts\n")
        print("| command | median |\n|---|---|")
        for arguments in (["fish"], ["a fish"], ["nowhere"], ["fi.h"], ["(fish|fowl)"],
                          ["fish", "--in", "title"], ["fish", "--latest", "100"]):
            def run():
                subprocess.run([options.podget, "grep", *arguments, "-d", str(library), "-q"],
                               stdout=subprocess.DEVNULL, check=False)
            print(f"| `grep {' '.join(arguments)}` | {timed(options.rounds, run):.2f} s |")
        file = pathlib.Path(folder) / "texts.sqlite"
        print(f"| FTS5: making the index | {index(library, file):.2f} s |")

        def query():
            database = sqlite3.connect(file)
            database.execute("SELECT rowid FROM texts WHERE texts MATCH 'fish'").fetchall()
            database.close()
        print(f"| FTS5: one word | {timed(options.rounds, query):.3f} s |")
        print(f"\nThe index has {file.stat().st_size / 1e6:.0f} MB.")


main()
