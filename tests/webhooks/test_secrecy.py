"""No webhook, no Discord message and no export tells what spectators must not know: two matches
that look alike to them are told of in the same words, at the same instants."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from accounts.models import User
from core.clock import now_utc
from games.models import Match
from games.pictures import positions
from tests.games import support
from tests.games import test_secrecy as secrecy
from tests.games.support import Play, Wire
from tests.webhooks.support import Stage
from tournaments.dumps.records import season_records
from tournaments.dumps.tables import TABLES
from tournaments.models import Leg
from tournaments.services.events import season_event
from tournaments.webhooks import wire as posting
from tournaments.webhooks.destinations import Destination
from tournaments.webhooks.kinds import CHOICES
from tournaments.webhooks.models import Delivery
from tournaments.webhooks.wire import Answer

pytestmark = pytest.mark.django_db

# What is different every time by itself.
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)")
NUMBER = re.compile(r'"event":\d+')


class Listening:
    """Two webhooks of the season, and everything that was sent to them."""

    def __init__(self, stage: Stage, patch: pytest.MonkeyPatch) -> None:
        self.stage = stage
        self.sent: list[tuple[int, str, Any]] = []
        self.at = 0
        self.webhooks = [
            stage.webhook("http://127.0.0.1:9/", name="program"),
            stage.webhook("http://127.0.0.1:9/api/webhooks/1/x", flavour="discord", name="discord"),
        ]
        patch.setattr(posting, "post", self._post)
        # The drawing itself is compared: making pixels of it takes long and hides differences.
        patch.setattr(positions, "png_of", str.encode)

    def _post(
        self,
        destination: Destination,
        *,
        headers: dict[str, str],
        content: bytes | None = None,
        files: dict[str, tuple[str | None, bytes, str]] | None = None,
    ) -> Answer:
        parts = {name: part[1] for name, part in (files or {}).items()}
        text = (content or parts.get("payload_json", b"")).decode()
        for pattern in (UID, MOMENT, NUMBER):
            text = pattern.sub("-", text)
        self.sent.append((self.at, headers["Gauntlet-Event"], (text, parts.get("files[0]"))))
        return Answer(204, {}, "", 0)

    def hear(self) -> None:
        # Most that is done is not told of at all: then there is nothing to be sent.
        waiting = Delivery.objects.pending().values_list("webhook", flat=True)
        while told := set(waiting.all()):
            for webhook in self.webhooks:
                if webhook.pk in told:
                    assert self.stage.drain(webhook)

    def exports(self) -> list[bytes]:
        made = list(season_records(self.stage.season))
        left_out: list[Any] = []
        for rows in TABLES:
            for row in rows(lambda *fault: left_out.append(fault)):
                # The two runs number their events differently.
                told = {**row, "id": 0} if rows.__name__ == "events" else row
                made.append(MOMENT.sub("-", msgspec.json.encode(told).decode()).encode())
        assert left_out == []
        return made


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "number"), secrecy.twins_in_turn(2))
def test_what_is_told_of_twins_is_the_same(  # noqa: PLR0917  (fixtures)
    ruleset: str,
    number: int,
    stage: Stage,
    set_clock: Callable[[int], None],
    wire: Wire,
    cleo: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twins = secrecy.TWINS[ruleset][number]()
    listening = Listening(stage, monkeypatch)
    start = support.started

    def started(*args: Any, **more: Any) -> Play:
        play = start(*args, **more)
        Leg.objects.filter(pk=stage.leg.pk).update(
            ruleset=ruleset, status="running", started_at=stage.at, match=play.pk
        )
        season_event(
            season=stage.season,
            kind="death-match.started",
            words="It begins.",
            leg=Leg.objects.get(pk=stage.leg.pk),
        )
        assert Match.objects.get(pk=play.pk).followed
        listening.hear()
        # Until they begin to differ both are one and the same: nobody follows them that far.
        follow(at_last=twins.since == 0)
        return play

    def follow(*, at_last: bool) -> None:
        Match.objects.filter(leg=stage.leg.pk).update(followed=at_last)

    class Ear(secrecy.Onlooker):
        def hear(self, play: Play, texts: Any) -> None:
            listening.hear()

        def look(self, play: Play, at: int) -> None:
            """Nothing besides."""

        def ask(self, play: Play, at: int) -> None:
            """Nothing besides."""

        def read_on(self, play: Play, stills: Callable[[], list[str]]) -> None:
            """Mail; the rest is the same in a season, and compared by `tests/games`."""
            self.read_mail()

        def look_around(self, play: Play, at: int) -> None:
            self.gathered.append(("exports", listening.exports()))

        def try_something(self, play: Play, at: int) -> None:
            """Nothing."""

    def clock(at: int) -> None:
        if listening.at < twins.since <= at:
            follow(at_last=True)
        listening.at = at
        set_clock(at)
        stage.at = now_utc()  # the second twin begins when the first did

    monkeypatch.setattr(secrecy, "started", started)
    monkeypatch.setattr(secrecy, "Onlooker", Ear)
    theatre = secrecy.Stage(clock, wire, stage.ada, stage.ben)
    users = {"orla": stage.orla, "cleo": cleo}
    told = []
    for course in (twins.one, twins.two):
        listening.sent = []
        exported = theatre.run(ruleset, course, users, twins, ("room",))["room"]
        told.append((listening.sent, exported))
    one, two = told
    kinds = {kind for _, kind, _ in one[0]}
    assert "death-match.started" in kinds
    assert kinds <= set(CHOICES)
    assert one == two
    # And something was told: these are no two silences.
    assert len(one[0]) > 2


def test_the_comparison_has_teeth(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told does depend on what spectators see."""
    listening = Listening(stage, monkeypatch)
    play = stage.play()
    listening.hear()
    before = len(listening.sent)
    play.move(0, "pick T", 1000)
    listening.hear()
    assert len(listening.sent) == before
    play.move(1, "pick L", 2000)
    listening.hear()
    assert len(listening.sent) == before + 2
    assert all("pick" in text.lower() or "T" in text for _, _, (text, _) in listening.sent[before:])
