"""Makes feeds and measures how long podget and other parsers take to read them, as Markdown."""

import argparse
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from growth import draw

WORDS = "history letter voice night river city war peace music science story question answer".split()
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"
 xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>A feed</title>
<link>https://example.com</link><language>en</language><itunes:author>Somebody</itunes:author>
"""
PARSERS = {
    "podcastparser": "import podcastparser,sys; podcastparser.parse('file:///f', open(sys.argv[1],'rb'))",
    "feedparser": "import feedparser,sys; feedparser.parse(sys.argv[1])",
    "fastfeedparser": "import fastfeedparser,sys; fastfeedparser.parse(open(sys.argv[1]).read())",
}


def item(number):
    """An item of about 2.3 KB, as feeds have them, always the same for its number."""
    words = random.Random(number)
    title = " ".join(words.choice(WORDS) for _ in range(8))
    notes = " ".join(words.choice(WORDS) for _ in range(140))
    moment = time.gmtime(1_700_000_000 - number * 86_400)
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", moment)
    return f"""<item><title>{number}: {title}</title><guid isPermaLink="false">{number}-guid</guid>
<pubDate>{date}</pubDate><link>https://example.com/{number}</link>
<description><![CDATA[<p>{notes}</p>]]></description>
<content:encoded><![CDATA[<p>{notes}</p>]]></content:encoded>
<itunes:duration>{words.randrange(600, 7200)}</itunes:duration><itunes:episode>{number}</itunes:episode>
<enclosure url="https://media.example.com/{number}.mp3" length="{number + 1}000" type="audio/mpeg"/>
</item>
"""


def run(command):
    """Wall seconds and peak resident MiB of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{command[0]} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--podget", required=True)
    parser.add_argument("--reader", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("episodes", nargs="*", type=int)
    arguments = parser.parse_args()
    counts = arguments.episodes or [10, 100, 1_000, 10_000, 100_000]
    tools = {"podget": None}
    for name, program in PARSERS.items():
        if subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0:
            tools[name] = program
    growth = {"milliseconds": {}, "MiB": {}}
    alone = []
    print("| episodes | size | " + " | ".join(f"{name}" for name in tools) + " |")
    print("|---" * (2 + len(tools)) + "|")
    with tempfile.TemporaryDirectory(prefix="podget-feeds.") as folder:
        for count in counts:
            path = pathlib.Path(folder) / f"{count}.xml"
            with path.open("w") as file:
                file.write(HEAD)
                file.writelines(item(number) for number in range(count))
                file.write("</channel></rss>")
            results = {name: [] for name in tools}
            for round_number in range(arguments.rounds + 1):
                order = list(tools)
                random.shuffle(order)
                for name in order:
                    if name == "podget":
                        command = [arguments.podget, "show", str(path), "--latest", "1", "--json",
                                   "--library", f"{folder}/none"]
                    else:
                        command = [sys.executable, "-c", tools[name], str(path)]
                    result = run(command)
                    if round_number:
                        results[name].append(result)
            cells = []
            for name in tools:
                seconds = statistics.median(result[0] for result in results[name])
                memory = statistics.median(result[1] for result in results[name])
                cells.append(f"{seconds * 1000:,.0f} ms, {memory:,.0f} MiB")
                if name == "podget":
                    growth["milliseconds"][count] = seconds * 1000
                    growth["MiB"][count] = memory
            size = path.stat().st_size / 1e6
            print(f"| {count:,} | {size:,.1f} MB | " + " | ".join(cells) + " |", flush=True)
            command = [arguments.reader, str(path), str(arguments.rounds)]
            alone.append((count, *map(float, subprocess.check_output(command, text=True).split())))
            path.unlink()
    print("\n| episodes | FeedReader alone | MB/s | allocations per episode |\n|---|---|---|---|")
    for count, milliseconds, rate, allocations in alone:
        print(f"| {count:,} | {milliseconds:,.1f} ms | {rate:,.0f} | {allocations:,.1f} |")
    for unit, values in growth.items():
        draw("episodes", f"podget, {unit}", values)


main()
