"""The drawn examples of the rules."""

from __future__ import annotations


def figures() -> dict[str, tuple[str, str]]:
    """Each example as an SVG document and its caption."""
    heap = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60" viewBox="0 0 60 60">'
        "<title>A heap</title><desc>Seven lie on it.</desc>"
        '<circle cx="30" cy="30" r="20"/></svg>'
    )
    return {"heap": (heap, "A heap of seven.")}
