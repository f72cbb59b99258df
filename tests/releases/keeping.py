"""Matches as a release stores them, for later releases to read.

``python -m tests.releases.keeping NAME`` writes a folder of that name beside this file: of each
ruleset and variant the rows of matches at every kind of moment that there is, and which migrations
the release has. Do so once with each
release, from its own code, and commit the folder; it is never changed afterwards, and goes once no
site runs that release any more. `test_releases` reads what is here, and plays on.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

FOLDER = Path(__file__).resolve().parent
# Beside the matches: the migrations that the release has applied.
MIGRATIONS = "migrations.txt"
SEED = 14
# Of a match that is played at random, and of one that was recorded.
MOMENTS = 12


def moment_of(live: Any) -> tuple[Any, ...]:
    """What tells one kind of moment in a match from another."""
    table = live.table
    kinds = [
        tuple(sorted("" if slot is None else slot.decision.kind for slot in slots))
        for slots in (table.open, table.suspended)
    ]
    sealed = tuple(sorted(each.decision.kind for each in table.sealed))
    flags = (table.paused, table.result is not None, table.state is None, live.waiting is None)
    return (*kinds, sealed, *flags)


class Walk:
    """A match from its start on: the rows of the match at moments that are worth keeping, and its
    entries, which are only ever added to."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.entries: list[dict[str, Any]] = []
        self._seen: set[Any] = set()

    def look(self, match_id: int, moment: Any = None) -> None:
        """Keep the row as it stands, unless one of its kind is kept already."""
        from games import store
        from games.models import Match, MatchEntry

        kind = moment or moment_of(store.read(match_id).live)
        if kind in self._seen or len(self.rows) >= MOMENTS:
            return
        self._seen.add(kind)
        self.rows.append(dict(Match.objects.filter(pk=match_id).values().get()))
        entries = MatchEntry.objects.filter(match=match_id).order_by("seq").values()
        self.entries = [dict(entry) for entry in entries]

    def document(self) -> dict[str, Any]:
        """What is written down."""
        return {"rows": self.rows, "entries": self.entries}


def walks(ruleset: str, variant: str) -> Iterator[Walk]:
    """Of one game: a match that waits first, is played by services to its end and has been in an
    organiser's hands; and every recorded one, up to each kind of moment."""
    from tests.engine.playthroughs import playthroughs

    yield _played(ruleset, variant)
    for record in playthroughs():
        name, of_variant, _ = record.name.split(".", 2)
        if (name, of_variant) == (ruleset, variant):
            yield from _recorded(record)


def _played(ruleset: str, variant: str) -> Walk:
    from games.engine.ruleset import HeldItem
    from games.rulesets import REGISTRY
    from games.services.arrivals import match_attend
    from tests.games.support import SECOND, T0, committing, started

    walk, random = Walk(), Random(f"{SEED} {ruleset} {variant}")
    first, second, organiser = _people()
    rules = REGISTRY.get(ruleset)
    fit = [each for each in rules.items if not each.variants or variant in each.variants]
    play = started(
        (first, second), ruleset, variant=variant, random=random.random, waits=True,
        advantage=None, items=[HeldItem(number % 2, each.id) for number, each in enumerate(fit)],
    )  # fmt: skip
    walk.look(play.pk)
    with committing():
        match_attend(match_id=play.pk, there=(True, True), at=T0 + SECOND, random=random.random)
    at = SECOND
    for number in range(1000):
        walk.look(play.pk)
        if play.match.is_over:
            return walk
        if number == 5:
            for act in ("pause", "resume", "reserve 0 +10", "take back", "extend 0 5"):
                play.organise(organiser, act, at)
                walk.look(play.pk, act)
        at += SECOND
        table = play.held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        if number == 9:
            deadline = play.match.deadline_at
            assert deadline is not None
            at += deadline - T0
            play.wake(at)
        else:
            play.move(seat, play.random_move(seat, random.random), at)
    raise AssertionError("a match at random does not end")


def _recorded(record: Path) -> Iterator[Walk]:
    """Each moment of a recorded match is a match of its own: what comes before it can differ from
    what follows, where something was taken back."""
    from games import store
    from games.engine import limits, play, records
    from games.engine import live as lives
    from games.engine.clocks import Watch
    from games.engine.decisions import EVERYONE, seen_by
    from games.engine.live import Live
    from games.models import Match
    from games.rulesets import REGISTRY
    from tests.games.support import SECOND, T0

    document = records.read(record.read_bytes())
    ruleset, header = records.header_of(REGISTRY, document)
    steps = list(records.replay(ruleset, header, [records.entry_of(m) for m in document.moves]))
    seen: set[Any] = set()
    for number, step in enumerate(steps, 1):
        at = T0 + number * SECOND
        table = step.table
        watches = [
            None if slot is None else Watch(slot.reading_ms, None if table.paused else at)
            for slot in (limits.shown(table, 0), limits.shown(table, 1))
        ]
        live = Live(table, (watches[0], watches[1]))
        kind = moment_of(live)
        # Nothing is stored before the chance that is due has been drawn.
        if kind in seen or len(seen) >= MOMENTS or play.draws_due(ruleset, table):
            continue
        seen.add(kind)
        events = [each for past in steps[:number] for each in past.events]
        told = [len(seen_by(events, audience)) for audience in EVERYONE]
        readers = store.Readers(logs=(told[0], told[1], told[2]))
        result, wake = table.result, store.next_wake(ruleset, live, after=at)
        walk = Walk()
        walk.rows.append(
            {
                "ruleset": document.ruleset,
                "variant": document.variant,
                "options": records.changed_options(header.options),
                "items": msgspec.to_builtins(header.items),
                "advantage": header.advantage,
                "status": "running" if result is None else "finished",
                "paused": table.paused,
                "awaits_ruling": store.awaits_ruling(ruleset, live),
                "snapshot": store.snapshot_of(ruleset, live, readers),
                "seq": number,
                "deadline_at": lives.next_deadline(ruleset, live),
                "wake_at": wake,
                "sweep_at": wake,
                "winner": None if result is None else result.winner,
                "reason": "" if result is None else result.reason,
                "scores": [] if result is None else list(result.scores),
                "finished_at": None if result is None else "2033-05-18T03:33:20Z",
            }
        )
        walk.entries = [
            {
                "seq": past.index + 1,
                "actor": str(past.entry.actor),
                "text": past.entry.text,
                "timeout": past.entry.timeout,
                "reading_ms": past.entry.reading_ms,
                "by_name": past.entry.by,
                "why": past.entry.why,
                "at": T0 + (past.index + 1) * SECOND,
                "events": msgspec.to_builtins(past.events),
            }
            for past in steps[:number]
        ]
        assert {*walk.rows[0]} <= {field.attname for field in Match._meta.concrete_fields}
        yield walk


def _people() -> tuple[Any, Any, Any]:
    from accounts.models import User
    from accounts.roles import Role, has_role
    from accounts.services import role_grant

    people = [
        User.objects.filter(username=name).first()
        or User.objects.create_user(name, display_name=name.title())
        for name in ("ada", "ben", "orla")
    ]
    root = User.objects.filter(username="root").first() or User.objects.create_superuser("root")
    if not has_role(people[2], Role.ORGANISER):
        role_grant(acting_user=root, user=people[2], role=Role.ORGANISER)
    return people[0], people[1], people[2]


def written(parts: Sequence[Mapping[str, Any]]) -> bytes:
    """A file: one line a match, so that it can be looked through."""
    lines = [msgspec.json.encode(part, enc_hook=str) for part in parts]
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


def write(name: str) -> None:
    """Write the folder of a release."""
    from django.db.migrations.loader import MigrationLoader

    from tests.games.support import GAMES

    folder = FOLDER / name
    folder.mkdir()
    nodes = sorted(MigrationLoader(None, ignore_no_migrations=True).graph.nodes)
    (folder / MIGRATIONS).write_text("".join(f"{app} {name}\n" for app, name in nodes))
    for ruleset, variant in GAMES:
        parts = [walk.document() for walk in walks(ruleset, variant)]
        (folder / f"{ruleset}.{variant}.json").write_bytes(written(parts))


def main(name: str) -> None:
    """Do so in a database of its own, on the servers that tests have."""
    from tests.support.services import own
    from tests.support.site import Site

    assert own is not None, "it starts servers of its own"
    own.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            site = Site(Path(folder))
            site.processes = []
            site.start()
            try:
                site.hand.call("tests.releases.keeping:write", name=name)
            finally:
                site.stop()
    finally:
        own.stop()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    main(sys.argv[1])
