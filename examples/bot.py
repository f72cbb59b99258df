"""A whole bot: takes every challenge and plays any game at random. See docs/bots.md. Run it with
`python examples/bot.py https://your.site BOT_TOKEN`; make `choose` better."""

import json
import random
import sys
import threading
import time
import urllib.request
import uuid
from typing import Any

SITE, TOKEN = sys.argv[1].rstrip("/") + "/api/v1", sys.argv[2]
HEADERS = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}


def call(path: str, body: Any = None) -> Any:  # POST where there is a body; waits when told to
    data = None if body is None else json.dumps(body).encode()
    try:
        return urllib.request.urlopen(urllib.request.Request(SITE + path, data, HEADERS))
    except urllib.request.HTTPError as refusal:
        if refusal.code != 429:
            raise
        time.sleep(int(refusal.headers["Retry-After"]))
        return call(path, body)


def lines(path: str) -> Any:  # a stream that broke off is opened again, and tells first how all is
    while True:
        yield from (json.loads(line) for line in call(path) if line.strip())
        time.sleep(1 + random.random())  # not all at the same moment


def choose(moves: list[str], view: dict[str, Any]) -> str:  # `view`: all that our seat may know
    return random.choice(moves)


def play(match: int, seat: int) -> None:
    for frame in lines(f"/matches/{match}/stream/"):
        view = frame.get("view", {"phase": "", "decisions": []})
        if view["phase"] == "over":
            return
        for decision in view["decisions"]:
            if decision["seat"] == seat and not decision["sealed"] and not view["paused"]:
                try:
                    text = choose(json.load(call(f"/matches/{match}/hints/"))["moves"], view)
                    move = {"id": uuid.uuid4().hex, "text": text, "version": frame["version"]}
                    call(f"/matches/{match}/submissions/", move)
                except urllib.request.HTTPError as refusal:
                    print(match, json.load(refusal)["sentence"])


playing: set[int] = set()
for event in lines("/me/events/"):
    if event["type"] == "challenge.received":
        call(f"/challenges/{event['challenge']}/accept/", {})
    elif event["type"] == "match.started" and event["match"] not in playing:
        playing.add(event["match"])
        threading.Thread(target=play, args=(event["match"], event["seat"])).start()
