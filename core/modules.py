"""What a module or a style sheet leads to, so that a page can name all of it: a browser that finds
out only as it reads them waits for one after the other."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders

_NAMED = {
    ".js": re.compile(r"""^(?:import|export)\b(?:[^;"']*?\bfrom)?\s*["']([./][^"']+)["'];""", re.M),
    ".css": re.compile(r"""^@import\s+(?:url\()?["']([^"']+)["']""", re.M),
}


@cache
def led_to(name: str) -> tuple[str, ...]:
    """The names of all static files of its kind that one leads to, and those lead to, each once and
    without itself; none for a file that is not there. What is imported while a page runs is left
    out."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for each in _named_in(waiting.pop(0)):
            if each != name and each not in found:
                found[each] = None
                waiting.append(each)
    return tuple(found)


def _named_in(name: str) -> Iterator[str]:
    path = finders.find(name)
    if path is None:
        return
    root = settings.STATIC_URL
    text = Path(path).read_text()
    for each in _NAMED[posixpath.splitext(name)[1]].findall(text):
        # As a browser finds it: from a ruleset's folder, by a way that leaves the root.
        address = posixpath.normpath(posixpath.join(root, posixpath.dirname(name), each))
        yield address.removeprefix(root)
