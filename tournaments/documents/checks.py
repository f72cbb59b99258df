"""What of a document goes together, part by part, before there are rows of it. Each check raises
Refusal ``document.wrong`` and says where, unless it says otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from core.refusals import Refusal
from tournaments import scoring
from tournaments.documents.bounds import must_be_storable
from tournaments.documents.parts import (
    ContestantDoc,
    LegDoc,
    RoundDoc,
    ScoresDoc,
    SeasonDoc,
    Where,
)
from tournaments.events.payloads import Items
from tournaments.events.references import described, unknown_keys
from tournaments.formats.numbering import wrong
from tournaments.lifecycle import SeasonStatus, Visibility
from tournaments.services import repertoire

# Where msgspec says that a fault is.
_FAULT_AT: Final = re.compile(r"(?P<fault>.*) - at `\$(?P<path>.*)`", re.DOTALL)


def must_fit_its_state(doc: SeasonDoc) -> None:
    """How far the season is, its times, its winner and who sees it go together."""
    begun, over = doc.started_at is not None, doc.finished_at is not None
    status = SeasonStatus(doc.status)
    if (
        begun != (status in (SeasonStatus.RUNNING, SeasonStatus.FINISHED))
        and status != SeasonStatus.CANCELLED
    ):
        raise wrong("season.started_at", "a season that has begun says when, others not")
    if over != (status in (SeasonStatus.FINISHED, SeasonStatus.CANCELLED)):
        raise wrong("season.finished_at", "a season that is over says when, others not")
    if Visibility(doc.visibility) is Visibility.DRAFT and begun:
        raise wrong("season.visibility", "a season that has begun is no draft any more")
    if doc.winner is not None and status != SeasonStatus.FINISHED:
        raise wrong("season.winner", "only a season that is finished has a winner")


def must_end(contestants: tuple[ContestantDoc, ...]) -> None:
    """Nobody took over, in the end, from themselves: places are found by following this."""
    before = {each.id: each.replaces for each in contestants}
    sound: set[int] = set()
    for number in before:
        way: set[int] = set()
        at: int | None = number
        while at is not None and at not in sound:
            if at in way:
                raise wrong("contestants", "somebody took over from themselves")
            way.add(at)
            at = before[at]
        sound |= way


def must_be_playable(doc: RoundDoc | LegDoc, where: str) -> None:
    """What is played can be, as an organiser could have chosen it; refusals are those of
    `repertoire.game_validate`."""
    if doc.ruleset:
        game = {"ruleset": doc.ruleset, "variant": doc.variant, "options": doc.options}
        must_pass(where, lambda: repertoire.game_validate(game))
    elif doc.options:
        raise wrong(where, "there are options, and nothing is played")


def must_be_scores(doc: ScoresDoc, where: str) -> None:
    """A table has columns as organisers can make them, and a row has a cell for each; refusals of
    columns are those of `scoring.columns_validate`."""
    columns = msgspec.convert(msgspec.to_builtins(doc.columns), tuple[scoring.Column, ...])
    must_pass(f"{where}.columns", lambda: scoring.columns_validate(columns))
    for index, row in enumerate(doc.rows):
        if len(row.cells) != len(columns):
            raise wrong(f"{where}.rows[{index}].cells", "a row has a cell for each column")


def must_pass(where: str, check: Callable[[], object]) -> None:
    """``check`` raises no Refusal; if it does, that is raised with the place in front."""
    try:
        check()
    except Refusal as refusal:
        raise refusal.reworded(f"At {where}: {refusal.sentence}") from refusal


def must_be_described(data: Mapping[str, Any], payload: Any, where: str) -> None:
    """The data of an event is what is described of its kind, and nothing else."""
    for path in unknown_keys(data, described(payload)):
        raise wrong(f"{where}{path}", "nothing of that name is told of such an event")
    try:
        stated = msgspec.convert(data, payload)
    except msgspec.ValidationError as error:
        found = _FAULT_AT.fullmatch(str(error))
        path, fault = (found["path"], found["fault"]) if found else ("", str(error))
        raise wrong(f"{where}{path}", fault) from None
    must_be_storable(stated, where)


def must_be_items(items: Mapping[str, Any], where: Where) -> None:
    """What a leg keeps of its items is what is described of that."""
    try:
        msgspec.convert(items, Items)
    except msgspec.ValidationError as error:
        raise Refusal(
            "document.wrong",
            f"Round {where.round}, death match {where.match}, leg {where.leg}: items: {error}.",
        ) from None
