"""What all spectators of a match are told alike: made and encoded once in each process, and handed
to each of them, whether by a socket, a stream, the API or a page.

A view is kept with the mark of what it was made of: the version of the match's row (`xmin` with
`ctid`, which any write changes, whoever writes), what its players are called, and what was ruled on
its result. So it is asked
anew whether it still holds, in one short statement, whenever somebody is to be told; nobody has to
say that something has changed, and nobody can forget to.

Only the room's view is ever kept, by this module alone; a seat's is made for that seat each time.
What differs among spectators is put beside it: what the clocks show now, whether this one may
organise the match, who is there, and how much of the log they have.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any, Final

import msgspec
from django.contrib.auth.models import AnonymousUser
from django.db.models.expressions import RawSQL

from core.clock import now_ms
from core.refusals import NotFound
from games import store
from games.engine.clocks import Watch
from games.engine.decisions import ROOM
from games.models import Match
from games.publishing import frames
from games.publishing.publish import encode
from games.reading.known import Known, kept_of
from games.reading.matches import match_for
from games.remembered import spell

_MARK: Final = """
    games_match.xmin::text || ' ' || games_match.ctid::text || ' ' || coalesce((
        SELECT json_agg(json_build_array(p.seat, p.name, u.username) ORDER BY p.seat)::text
        FROM games_matchplayer p LEFT JOIN accounts_user u ON u.id = p.user_id
        WHERE p.match_id = games_match.id
    ), '') || coalesce((
        SELECT json_build_array(r.winner, r.why)::text
        FROM games_ratingruling r WHERE r.match_id = games_match.id
    ), '')
"""
_MARK_LATE: Final = (
    _MARK  # noqa: S608  (constants only)
    + """ || ' ' || coalesce((
        SELECT max(version) FROM games_lateview WHERE match_id = games_match.id AND shown
    ), 0)
"""
)


class RoomView:
    """A match as the room may see it, encoded as far as it is the same for everybody in it."""

    def __init__(
        self,
        mark: object,
        sync: dict[str, Any],
        *,
        over: bool,
        lasting: frames.Lasting,
        watches: tuple[Watch | None, ...],
    ) -> None:
        """``sync`` is the frame of a spectator who may not organise; ``watches`` are those whose
        readings its decisions show, by seat."""
        self.mark = mark
        self.over = over
        self.lasting = lasting
        self.version: int = sync["version"]
        self.waits: bool = sync["view"]["phase"] == "waiting"
        self._watches = watches
        self._items = [encode(item) for item in sync["log"]]
        self._whole = self._log(0)
        game = msgspec.Raw(encode(sync["view"]["game"]))
        self._plain = sync
        self._sync = {**sync, "view": {**sync["view"], "game": game}}

    def sync(self, *, at: int, organise: bool, known: Known | None = None) -> dict[str, Any]:
        """The `sync` frame of one spectator at instant ``at``, parts of it encoded already: what
        they lack of the log, and nothing beyond the room's view but that they may organise."""
        kept = kept_of(
            known,
            you=None,
            version=self.version,
            over=self.over,
            length=len(self._items),
            lasting=self.lasting,
        )
        frame = self._told(self._sync, at, organise)
        frame["log"] = self._log(kept) if kept else self._whole
        return {**frame, "after": kept} if kept else frame

    def plain(self, *, at: int, organise: bool) -> dict[str, Any]:
        """The same with the whole log, for whoever takes it apart; nobody may change what is in
        it, for others share it."""
        return self._told(self._plain, at, organise)

    def _told(self, sync: dict[str, Any], at: int, organise: bool) -> dict[str, Any]:
        view = sync["view"]
        return {
            **sync,
            "at": at,
            "header": {**sync["header"], "organise": organise},
            "view": {**view, "decisions": [self._now(each, at) for each in view["decisions"]]},
        }

    def _now(self, decision: dict[str, Any], at: int) -> dict[str, Any]:
        watch = self._watches[decision["seat"]]
        reading = 0 if watch is None else watch.reading(at)
        return {**decision, "clock": {**decision["clock"], "reading_ms": reading}}

    def _log(self, after: int) -> msgspec.Raw:
        return msgspec.Raw(b"[" + b",".join(self._items[after:]) + b"]")


def room_view(match_id: int, *, late: bool = False) -> RoomView:
    """The match as the room may see it now; ``late``: those who see it late. Of those who ask at
    the same time one makes it.

    Raises Refusal ``match.none``.
    """
    # Asked before the lock is, since whoever waits for that has a connection by then: those who
    # hold it need no other, and nobody waits for a connection that waits for them.
    mark = _mark_of(match_id, late)
    place = _place_of(match_id, late)
    kept = place.view
    if kept is not None and kept.mark == mark:
        return kept
    with place.lock:
        kept = place.view
        if kept is not None and kept.mark != mark:
            # Whoever had the lock may have made it of what is newer than what was found then.
            mark = _mark_of(match_id, late)
        if kept is None or kept.mark != mark:
            kept = place.view = _made(match_id, mark, late)
        return kept


class _Place:
    """Where the view of a match is kept."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.view: RoomView | None = None


# Matches whose view is kept, ten to two hundred kilobytes each: those that were looked at last.
AT_MOST: Final = 200

_lock = Lock()
_places: OrderedDict[tuple[int, bool], _Place] = OrderedDict()


def _place_of(match_id: int, late: bool) -> _Place:
    with _lock:
        place = _places.setdefault((match_id, late), _Place())
        _places.move_to_end((match_id, late))
        if len(_places) > AT_MOST:
            _places.popitem(last=False)
        return place


def _made(match_id: int, mark: object, late: bool) -> RoomView:
    # The mark was read first: what was written since is in the view, which then holds no longer.
    match = match_for(match_id, AnonymousUser())
    held = store.shown_late(match) if late else store.held_of(match)
    log = frames.log_now(held, match, ROOM)
    sync = frames.sync_frame(held, match, ROOM, organise=False, at=now_ms(), log=log)
    return RoomView(
        mark, sync, over=held.is_over, lasting=log.lasting, watches=tuple(held.live.watches)
    )


def _mark_of(match_id: int, late: bool) -> tuple[int, str]:
    spelt = spell()
    matches = Match.objects.visible_to(AnonymousUser()).filter(pk=match_id)
    sql = _MARK_LATE if late else _MARK
    mark = matches.annotate(mark=RawSQL(sql, ())).values_list("mark", flat=True).first()  # noqa: S611  (constants only)
    if mark is None:
        raise NotFound("match.none", "There is no such match.")
    return spelt, str(mark)
