"""Live matches played at random through the same functions as the server's, of any ruleset."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from core.refusals import Refusal
from games.engine import live as lives
from games.engine.acts import is_take_back, parse_act
from games.engine.course import MatchCourse
from games.engine.decisions import Seat
from games.engine.live import Live, Turn
from games.engine.table import AnyRuleset, Entry, Header

NONSENSE = ("", "?", "a1", "take back", "concede!", "pick 9", "\x00", "ﬁrst", "lot 1", "A1" * 900)
ACTS = (
    *("pause", "resume", "resume", "reserve 0 +5", "reserve 1 -3", "reserve 0 -999"),
    *("extend 0 7", "extend 1 7", "take back", "take back", "rule valid", "rule invalid"),
)


class RandomGame:
    """A match in which everything that can happen happens at random.

    ``course`` follows along entry by entry, as a reader of the record would.
    """

    def __init__(self, ruleset: AnyRuleset, header: Header, seed: int) -> None:
        self.ruleset = ruleset
        self.header = header
        self.random = Random(seed)
        self.at = 10**12 + self.random.randrange(10**9)
        self.entries: list[Entry] = []
        self.course = MatchCourse(ruleset, header)
        self.live: Live = Live(self.course.table)
        self._keep(lives.begin(ruleset, header, at=self.at, random=self.random.random))

    @property
    def is_over(self) -> bool:
        return self.live.table.result is not None

    def play(self, steps: int) -> None:
        """So many things happen, or as many as do before the end."""
        for _ in range(steps):
            if self.is_over:
                return
            self.step()

    def step(self) -> None:
        """One thing happens."""
        self._wait()
        lot = self.random.random()
        if lot < 0.75:
            self._submit_legal()
        elif lot < 0.83:
            self.submit(self.random.randrange(2), self.random.choice(NONSENSE))
        elif lot < 0.835:
            self.submit(self.random.randrange(2), "concede")
        elif lot < 0.90:
            self._keep(lives.expire(self.ruleset, self.live, at=self.at, random=self.random.random))
        elif lot < 0.995:
            self._organise(self.random.choice(ACTS))
        else:
            self._organise(self.random.choice(("winner 0", "winner 1", "void")))

    def _wait(self) -> None:
        """Time passes: mostly little, at times right up to or past the next deadline."""
        deadline = lives.next_deadline(self.ruleset, self.live)
        lot = self.random.random()
        if deadline is not None and lot < 0.05:
            self.at = max(self.at, deadline + self.random.choice((-1, 0, 0, 1, 5_000)))
        elif lot < 0.15:
            self.at += self.random.choice((999, 2_500, 15_000))
        else:
            self.at += self.random.choice((0, 1, 10, 300))

    def _submit_legal(self) -> None:
        seats = [seat for seat in (0, 1) if self.live.table.open[seat] is not None]
        if not seats:
            return
        seat = self.random.choice(seats)
        slot = self.live.table.open[seat]
        assert slot is not None
        move = self.ruleset.sample(self.live.table.state, slot.decision, self.random.random)
        self.submit(seat, self.ruleset.print(move))

    def submit(self, seat: Seat, text: str) -> Turn:
        """A submission of a seat, which may well be refused."""
        before = self.live
        turn = lives.submit(
            self.ruleset, self.live, seat=seat, text=text, at=self.at, random=self.random.random
        )
        if turn.refusal is not None and not turn.happened:
            assert turn.live == before
        return self._keep(turn)

    def _organise(self, text: str) -> None:
        try:
            turn = lives.organise(
                self.ruleset,
                self.live,
                act=parse_act(text),
                by="Cleo",
                why="at random",
                at=self.at,
                random=self.random.random,
                entries=self.entries,
            )
        except Refusal:
            return
        self._keep(turn)

    def _keep(self, turn: Turn) -> Turn:
        self.live = turn.live
        for happened in turn.happened:
            step = self.course.add(happened.entry)
            self.entries.append(happened.entry)
            assert step.table == happened.table
            if happened.events or not is_take_back(happened.entry):
                assert step.events == happened.events
            assert step.text == happened.entry.text or happened.entry.timeout
        return turn


def random_header(ruleset: AnyRuleset, seed: int) -> Header:
    """A header of any variant, with times short enough for a match to run out of them at times."""
    random = Random(seed)
    changed: dict[str, Any] = {
        "turn_time": random.choice((0.25, 1.0, 20.0, 90.0)),
        "reserve": random.choice((0.0, 3.0, 60.0)),
    }
    for field in msgspec.structs.fields(ruleset.options_type):
        if isinstance(field.default, bool):
            changed[field.name] = random.random() < 0.5
        elif field.name == "interval":
            changed[field.name] = random.choice((0.0, 0.25, 10.0))
    options = ruleset.options_type(**changed)
    return Header(
        ruleset=ruleset.id,
        variant=random.choice(ruleset.variants).id,
        options=options,
        advantage=random.choice((None, 0, 1)),
    )
