"""Frames from the client, typed. Anything else is answered with a code and a sentence."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from core.refusals import NotUnderstood, Refusal
from games.reading.known import Known


class Submit(msgspec.Struct, frozen=True, tag="submit"):
    """A move."""

    id: str
    match: int
    text: str
    version: int


class Sync(msgspec.Struct, frozen=True, tag="sync"):
    """A wish to be told everything again, but for what the client says that it has."""

    known: Known | None = None


class Chat(msgspec.Struct, frozen=True, tag="chat"):
    """A chat message."""

    id: str
    room: str
    text: str


class ChatHistory(msgspec.Struct, frozen=True, tag="chat.history"):
    """A wish for what was said before."""

    room: str


class Ping(msgspec.Struct, frozen=True, tag="ping"):
    """A sign of life. ``received`` counts the frames this socket has brought to the client;
    ``hidden``: nobody looks at the page."""

    at: float = 0
    received: int | None = None
    hidden: bool = False


class Nonce(msgspec.Struct, frozen=True, tag="nonce"):
    """The nonce that a player's program has committed to, opened; or, with ``without``, their wish
    to begin without it."""

    id: str
    match: int
    nonce: str = ""
    without: bool = False


class Organise(msgspec.Struct, frozen=True, tag="organise"):
    """An organiser's act."""

    id: str
    text: str
    why: str


Incoming: TypeAlias = Submit | Sync | Chat | ChatHistory | Ping | Nonce | Organise

_DECODER = msgspec.json.Decoder(Incoming)
_TYPES = frozenset({"submit", "sync", "chat", "chat.history", "ping", "nonce", "organise"})


def incoming(text: str) -> Incoming:
    """A frame from its text.

    Raises Refusal ``frame.not-json``, ``frame.not-object``, ``frame.unknown-type`` and
    ``frame.malformed``.
    """
    try:
        frame: Incoming = _DECODER.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        raise _what_is_wrong(text, error) from error
    return frame


def _what_is_wrong(text: str, error: Exception) -> Refusal:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return NotUnderstood("frame.not-json", "A frame is one JSON object.")
    if not isinstance(value, dict):
        return NotUnderstood("frame.not-object", "A frame is one JSON object.")
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _TYPES:
        return NotUnderstood("frame.unknown-type", "There is no such type of frame.")
    return NotUnderstood("frame.malformed", f"This frame is not as it should be: {error}.")
