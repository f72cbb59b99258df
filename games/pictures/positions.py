"""The pictures there are of a match's position, as the room sees it: what each shows, by what it is
told from all others, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from core.clock import now_ms
from core.conditional import digest_of
from core.refusals import Refusal
from games import store
from games.audience import AUDIENCES
from games.engine.decisions import ROOM
from games.engine.views import match_view
from games.models import Match
from games.pictures import links
from games.pictures.boards import PNG, SVG, board_of, names_of, png_of
from games.pictures.clips import GIF, clip_of
from games.pictures.diagrams import diagram_of


class Kind(StrEnum):
    """A way to draw a position: the board now, the board after an entry of the room's log, several
    of those as a moving picture, or the card that goes with links to the match."""

    NOW_SVG = "svg"
    NOW_PNG = "png"
    AFTER_SVG = "after-svg"
    AFTER_PNG = "after-png"
    SHARE = "share"
    CLIP = "clip"

    @property
    def media_type(self) -> str:
        """What an answer with such a picture is."""
        if self is Kind.CLIP:
            return GIF
        return SVG if self in {Kind.NOW_SVG, Kind.AFTER_SVG} else PNG

    @property
    def stays(self) -> bool:
        """Whether what it shows stays what it was, however the match goes on."""
        return self in {Kind.AFTER_SVG, Kind.AFTER_PNG, Kind.CLIP}

    @property
    def takes(self) -> int:
        """How many times as long as others it may take to draw it."""
        return 5 if self is Kind.CLIP else 1


_ROOM: Final = AUDIENCES.index(ROOM)


@dataclass(frozen=True)
class Picture:
    """A picture of a match whose row, snapshot and players were read together; ``number`` is the
    entry of the room's log after which a board is drawn that stays, ``until`` the last of those of
    a clip."""

    match: Match
    kind: Kind
    number: int = 0
    until: int = 0

    def digest(self, release: str) -> str:
        """What tells it from every other picture: whatever it shows, drawn by that release.

        It says nothing that the room does not know: the snapshot holds secrets, and of it there is
        only the room's version here.
        """
        return digest_of(release, *self._shown())

    def _shown(self) -> tuple[Any, ...]:
        match = self.match
        # A database that was brought back may play on otherwise, under the same numbers.
        shown = (self.kind, match.pk, match.created_at.timestamp(), *names_of(match))
        readers = self._readers()
        version = readers.versions[_ROOM]
        if self.kind.stays:
            # What is before the first entry stays only once there is one.
            shown = (*shown, self.number, self.until)
            return (*shown, version if not readers.logs[_ROOM] else "")
        shown = (*shown, version, match.finished_at)
        if self.kind is Kind.SHARE:
            return (*shown, match.status, match.paused, match.winner, *match.scores)
        return shown

    def _readers(self) -> store.Readers:
        match = self.match
        return store.shown_late(match).readers if match.late_s else store.readers_of(match)

    def draw(self) -> bytes:
        """Draw it. Raises Refusal ``match.no-board``."""
        if self.kind is Kind.SHARE:
            return png_of(links.match_picture(self.match), scale=1)
        if self.kind.stays and max(self.number, self.until) > self._readers().logs[_ROOM]:
            raise Refusal("match.no-board", "There is no board after this.")
        if self.kind is Kind.CLIP:
            return clip_of(self.match, self.number, self.until)
        svg = diagram_of(self.match, self.number) if self.kind.stays else board_now(self.match)
        return svg.encode() if self.kind.media_type == SVG else png_of(svg)


def board_now(match: Match) -> str:
    """The board as the room sees it now, as an SVG document. Raises Refusal ``match.no-board``."""
    held = store.seen_by_spectators(match)
    if held.live.table.state is None:
        raise Refusal("match.no-board", "There is no board yet.")
    view = match_view(held.ruleset, held.live, ROOM, at=now_ms())
    return board_of(held.ruleset, view, names_of(match))
