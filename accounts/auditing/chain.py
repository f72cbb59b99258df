"""The chain over the audit log, as arithmetic. `docs/audit.md` says the same in words.

Each link holds a digest over its entry, its place and the digest before it. So whoever changes,
removes, adds or exchanges entries changes every digest from there on, and whoever has kept a head
(a place and its digest) can tell that all up to there is as it was.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

#: What stands before the first link.
BEGINNING: Final = "0" * 64
_HEAD: Final = re.compile(r"(\d{1,18}):([0-9a-f]{64})")


class Entry(NamedTuple):
    """An entry of the log, as it is sealed."""

    id: int
    who: int | None
    action: str
    target_type: str
    target_id: str
    data: Any
    at: datetime


class Link(NamedTuple):
    """A link as it is kept, with its entry; None where that is gone."""

    position: int
    digest: str
    entry_id: int
    entry: Entry | None


class Head(NamedTuple):
    """How far a chain goes, and the digest there."""

    position: int
    digest: str

    def __str__(self) -> str:
        return f"{self.position}:{self.digest}"


NOTHING: Final = Head(0, BEGINNING)


class Fault(NamedTuple):
    """Something that does not hold: at which place, of which entry, and what, in words."""

    position: int
    entry_id: int | None
    words: str

    def __str__(self) -> str:
        return self.words


def head_of(text: str) -> Head:
    """A head as it is printed, `17:` and 64 hexadecimal digits. Raises ValueError for anything
    else."""
    found = _HEAD.fullmatch(text.strip())
    if found is None:
        raise ValueError("a head is a number, a colon and 64 hexadecimal digits")
    return Head(int(found[1]), found[2])


def text_of(position: int, previous: str, entry: Entry) -> str:
    """What a digest is made of: JSON with sorted names, without spaces, of ASCII alone."""
    return json.dumps(
        {
            "action": entry.action,
            "at": entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "data": entry.data,
            "id": entry.id,
            "position": position,
            "previous": previous,
            "target_id": entry.target_id,
            "target_type": entry.target_type,
            "who": entry.who,
        },
        sort_keys=True,
        separators=(",", ":"),
    )


def digest_of(position: int, previous: str, entry: Entry) -> str:
    """The digest of an entry at a place, after another digest."""
    return hashlib.sha256(text_of(position, previous, entry).encode("ascii")).hexdigest()


def linked(entries: Iterable[Entry], after: Head) -> Iterator[Link]:
    """The links by which a chain goes on with these entries."""
    position, digest = after
    for entry in entries:
        position += 1
        digest = digest_of(position, digest, entry)
        yield Link(position, digest, entry.id, entry)


class Course:
    """A chain that is gone over from a head on. `known`: heads that were kept earlier, by place.
    `doubt` is the first of them that the chain does not go through, and `undoubted` how far it went
    before: somebody may have added such a head, so it hides nothing that is wrong with the chain
    itself."""

    def __init__(self, after: Head = NOTHING, known: Mapping[int, str] | None = None) -> None:
        self.head = self.undoubted = after
        self.known = known or {}
        self.doubt: Fault | None = None

    def take(self, link: Link) -> Fault | None:
        """Go on by one link; what does not hold there. What comes after it is looked at by itself:
        nothing that was changed hides what is changed later."""
        fault = self._fault(link)
        here = Head(link.position, link.digest)
        if self.doubt is None and self.known.get(link.position, link.digest) != link.digest:
            self.doubt = Fault(
                link.position,
                link.entry_id,
                f"The chain was made anew: at place {link.position} it is not what was kept of it.",
            )
        if self.doubt is None:
            self.undoubted = here
        self.head = here
        return fault

    def _fault(self, link: Link) -> Fault | None:
        position = self.head.position + 1
        if link.position != position:
            return Fault(
                position,
                None,
                f"Place {position} is gone: the next that is there is {link.position}.",
            )
        if link.entry is None:
            return Fault(
                position, link.entry_id, f"Entry {link.entry_id}, at place {position}, was deleted."
            )
        if digest_of(position, self.head.digest, link.entry) != link.digest:
            return Fault(
                position,
                link.entry_id,
                f"Entry {link.entry_id}, at place {position}, is not what was sealed there: it was "
                "changed or exchanged.",
            )
        return None

    def end(self, reached: int = 0) -> Fault | None:
        """Whether the chain goes as far as it once did: to the last of the heads that were kept,
        and to the place that it ``reached``, whatever stood there."""
        last = self.head.position
        farther = max([reached, *self.known])
        if farther <= last:
            return None
        return Fault(
            last + 1, None, f"The chain is cut: it ends at place {last}, and went to {farther}."
        )
