"""The example in docs/protocol.md, played against the real server frame by frame."""

from __future__ import annotations

import json
import re
from contextlib import AsyncExitStack
from typing import Any

from script.lib.console import ROOT
from tests.games.client import Reader
from tests.games.desk import Desk
from tests.support.site import Site

NUMBER = 7  # the match's, in the example
KINDS = {"<int>": int, "<str>": str, "<list>": list, "<object>": dict}
LINE = re.compile(r"(?P<who>\w+)(?P<what>[<>] | connects\.$| hears nothing of it\.$)(?P<text>.*)")


def transcript() -> list[tuple[str, str, str]]:
    """Who, what and text of every line; indented lines go on with the one before."""
    document = (ROOT / "docs" / "protocol.md").read_text()
    block = document.partition("## An example")[2].partition("```text\n")[2].partition("```")[0]
    lines: list[tuple[str, str, str]] = []
    for line in filter(None, block.splitlines()):
        if line.startswith(" "):
            who, what, text = lines.pop()
            lines.append((who, what, f"{text} {line.strip()}"))
        else:
            match = LINE.fullmatch(line)
            assert match is not None, line
            lines.append((match["who"], match["what"].strip(), match["text"]))
    return lines


def differences(shown: Any, real: Any, path: str = "$") -> list[str]:
    """Where what is shown is not what really came."""
    if isinstance(shown, str) and shown in KINDS:
        return [] if type(real) is KINDS[shown] else [f"{path}: {real!r} is no {shown}"]
    if isinstance(shown, dict) and isinstance(real, dict):
        partial = "..." in shown
        keys = {key for key in shown if key != "..."}
        found = [f"{path}.{key} is missing" for key in keys - real.keys()]
        if not partial:
            found += [f"{path}.{key} is not shown" for key in real.keys() - keys]
        for key in keys & real.keys():
            found += differences(shown[key], real[key], f"{path}.{key}")
        return found
    if isinstance(shown, list) and isinstance(real, list) and len(shown) == len(real):
        found = []
        for index, (one, other) in enumerate(zip(shown, real, strict=True)):
            found += differences(one, other, f"{path}[{index}]")
        return found
    same = type(shown) is type(real) and shown == real
    return [] if same else [f"{path}: {real!r} instead of {shown!r}"]


def test_the_comparison_has_teeth() -> None:
    assert differences({"a": "<int>", "...": "..."}, {"a": 1, "b": 2}) == []
    for shown, real in [
        ({"a": "<int>"}, {"a": 1, "b": 2}), ({"a": 1}, {}), ({"a": 1}, {"a": True}),
        ({"a": "<int>"}, {"a": "1"}), ([1], [1, 2]), ([1, 2], [2, 1]), (None, 0),
    ]:  # fmt: skip
        assert differences(shown, real)


async def test_the_example_is_true(site: Site, desk: Desk) -> None:
    people = {name: desk.person(name=name) for name in ("Ada", "Ben")}
    match = desk.match(people["Ada"], people["Ben"])
    assert len(transcript()) > 30
    async with AsyncExitStack() as stack:
        readers: dict[str, Reader] = {}
        for who, what, text in transcript():
            if what == "connects.":
                reader = await Reader.open(site, match, people[who])
                readers[who] = await stack.enter_async_context(reader)
            elif what == ">":
                sent = text.replace(f'"match": {NUMBER}', f'"match": {match}')
                await readers[who].socket.send(sent)
            elif what == "<":
                shown = json.loads(text.replace(f'"match": {NUMBER}', f'"match": {match}'))
                real = await readers[who].next(shown["type"])
                assert differences(shown, real) == [], text
            else:
                heard = await readers[who].pause(0.3)
                assert [frame for frame in heard if frame["type"] != "presence"] == []
        for reader in readers.values():
            rest = await reader.pause(0.3)
            assert [frame for frame in rest if frame["type"] != "presence"] == []
