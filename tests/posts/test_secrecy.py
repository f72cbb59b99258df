"""Nothing that the bot says tells what spectators must not know: two matches that look alike to
them are told of in the same words, with the same pictures, at the same instants."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from accounts.models import User
from core.clock import now_utc
from core.discord import client
from core.discord.client import File
from games.models import Match
from games.pictures import positions
from tests.games import support
from tests.games import test_secrecy as secrecy
from tests.games.support import Play, Wire
from tests.posts.support import Told
from tournaments.models import DiscordPlace, DiscordPost, Leg
from tournaments.services.events import season_event

pytestmark = pytest.mark.django_db

# What is different every time by itself: which row a message is, and a thread's number at Discord.
MARK = re.compile(r"#d?\d+(-\d+)?")


class Listening:
    """The channel of the season, and everything that was said there."""

    def __init__(self, told: Told, patch: pytest.MonkeyPatch) -> None:
        self.told = told
        self.said: list[tuple[int, str, Any]] = []
        self.at = 0
        self.numbers = itertools.count(1)
        told.connect(mentions=True, roles=told.roles)
        told.want_mentions()
        patch.setattr(client, "message_post", self._posted)
        patch.setattr(client, "message_edit", self._edited)
        # When a reminder is taken away tells something, too.
        patch.setattr(client, "message_delete", lambda *_where: self._note("deleted", {}, ()))
        patch.setattr(client, "thread_begin", lambda _channel, message, _name: message)
        # The drawing itself is compared: making pixels of it takes long and hides differences.
        patch.setattr(positions, "png_of", str.encode)

    def _posted(
        self, _channel: str, message: Mapping[str, Any], *, nonce: str, files: Sequence[File] = ()
    ) -> str:
        self._note("posted", message, files)
        return str(next(self.numbers))

    def _edited(
        self, _channel: str, _id: str, message: Mapping[str, Any], *, files: Sequence[File] = ()
    ) -> None:
        self._note("edited", message, files)

    def _note(self, how: str, message: Mapping[str, Any], files: Sequence[File]) -> None:
        text = MARK.sub("", msgspec.json.encode(message).decode())
        self.said.append((self.at, how, (text, [file.content for file in files])))

    def hear(self) -> None:
        """Whatever there is to be said is said at once, without a moment between two edits."""
        stage = self.told.stage
        for _ in range(9):
            if not DiscordPost.objects.waiting().exists():
                return
            DiscordPost.objects.waiting().update(next_at=stage.at)
            for place_id in DiscordPlace.objects.order_by("-pk").values_list("pk", flat=True):
                self.told.drain(place_id)
        raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize(("ruleset", "number"), secrecy.twins_in_turn(1))
def test_what_is_said_of_twins_is_the_same(  # noqa: PLR0917  (fixtures)
    ruleset: str,
    number: int,
    told: Told,
    set_clock: Callable[[int], None],
    wire: Wire,
    cleo: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twins = secrecy.TWINS[ruleset][number]()
    stage = told.stage
    listening = Listening(told, monkeypatch)
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
            leg=Leg.objects.select_related("death_match__round").get(pk=stage.leg.pk),
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

        look_around = ask

        def read_on(self, play: Play, stills: Callable[[], list[str]]) -> None:
            """Nothing besides."""

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
    said = []
    for course in (twins.one, twins.two):
        listening.said = []
        theatre.run(ruleset, course, users, twins, ("room",))
        said.append(listening.said)
    one, two = said
    assert one == two
    # And something was said: these are no two silences.
    assert len(one) > 2
    assert {"posted", "edited"} <= {how for _, how, _ in one}


def test_the_comparison_has_teeth(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said does depend on what spectators see."""
    listening = Listening(told, monkeypatch)
    play = told.stage.play()
    listening.hear()
    before = len(listening.said)
    play.move(0, "pick T", 1000)
    listening.hear()
    assert len(listening.said) == before
    play.move(1, "pick L", 2000)
    listening.hear()
    (now,) = listening.said[before:]
    assert now[1] == "edited"
    assert "pick" in now[2][0].lower() or "T" in now[2][0]
