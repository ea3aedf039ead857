"""The sources of the benchmarks, and the nginx on loopback that serves them."""

import json
import os
import pathlib
import socket
import subprocess
import time

MIB = 1 << 20

# Name of the set: number of episodes, bytes of each.
SETS = {
    "one": (1, 1024 * MIB),
    "twenty-four": (24, 20 * MIB),
    "two-hundred": (200, 4_000_000),
    "many-small": (2000, 16 * 1024),
}

# Bytes a second that downloads are limited to; for each, sets that take ten seconds then.
RATES = (200_000, 2_000_000, 20_000_000)
for rate in RATES:
    SETS[f"one-at-{rate}"] = (1, rate * 10)
    SETS[f"four-at-{rate}"] = (4, rate * 10 // 4)

CONFIGURATION = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000; etag on;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  types {{ audio/mpeg mp3; }}
  server {{
    listen 127.0.0.1:{port};
    root {folder}/sources;
    location ~ /lookup$ {{ default_type application/json; }}
  }}
}}
"""


class Server:
    """Sources on the disk, read once so that the page cache holds them, and nginx before them."""

    def __init__(self, folder, cpu, sets):
        self.folder = pathlib.Path(folder)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        for name in sets:
            self._make(name, *SETS[name])
        configuration = self.folder / "nginx.conf"
        configuration.write_text(CONFIGURATION.format(folder=self.folder, port=self.port))
        command = ["nginx", "-e", "stderr", "-p", str(self.folder), "-c", str(configuration)]
        self.process = subprocess.Popen(["taskset", "-c", str(cpu), *command])
        self._wait()

    def paths(self, name):
        """The paths of a set's episodes below the origin."""
        return [f"/{name}/{number:04}.mp3" for number in range(SETS[name][0])]

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def _make(self, name, count, size):
        folder = self.folder / "sources" / name
        folder.mkdir(parents=True)
        (folder / "lookup").write_text(json.dumps(self._lookup(name, count)))
        # Random after a tag's header: no file system or checksum finds anything to save.
        chunk = os.urandom(min(size, 16 * MIB))
        for path in self.paths(name):
            with open(self.folder / "sources" / path[1:], "wb") as file:
                file.write(b"ID3\x04\x00\x00\x00\x00\x00\x00")
                while (left := size - file.tell()) > 0:
                    file.write(chunk[:left])
        for path in self.paths(name):
            with open(self.folder / "sources" / path[1:], "rb") as file:
                while file.read(4 * MIB):
                    pass

    def _lookup(self, name, count):
        podcast = {
            "wrapperType": "track", "kind": "podcast", "collectionId": 1, "trackId": 1,
            "artistName": "Nobody", "collectionName": "Bench", "trackCount": count,
        }
        episodes = [
            {
                "wrapperType": "podcastEpisode", "kind": "podcast-episode", "collectionId": 1,
                "collectionName": "Bench", "trackId": 1000 + number,
                "trackName": f"Episode {number}: a title of the usual length, with a guest",
                "releaseDate": f"{2000 + number // 336}-{number // 28 % 12 + 1:02}"
                f"-{number % 28 + 1:02}T06:00:00Z",
                "trackTimeMillis": 3_600_000, "episodeGuid": f"bench-{name}-{number}",
                "episodeFileExtension": "mp3", "episodeContentType": "audio",
                "episodeUrl": self.origin + path, "description": "What it is about. " * 40,
            }
            for number, path in enumerate(self.paths(name))
        ]
        return {"resultCount": count + 1, "results": [podcast, *episodes]}

    def _wait(self):
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit("bench: nginx does not listen")
