"""No command and no direct message tells what a page must not: two matches that look alike to
somebody read alike to them in Discord, at the same instants, whatever is hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from accounts.announcing.kinds import Way, When
from accounts.announcing.services import choices_set
from accounts.announcing.tasks import discord as write_directly
from accounts.jobs import DISCORD
from accounts.models import User
from games.announcements import TURN
from games.jobs import TELL_TURN
from games.tasks import tell_turn
from tests.discord.support import Guild
from tests.games import test_secrecy as secrecy
from tests.games.conftest import wire  # noqa: F401
from tests.games.support import Play, Wire
from tests.posts.support import unhurried
from tournaments.discord import replies
from tournaments.discord.fake.people import Answer

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def ear(guild: Guild) -> type[secrecy.Onlooker]:
    """An onlooker who has nothing but Discord."""

    class Ear(secrecy.Onlooker):
        def hear(self, play: Play, texts: Sequence[tuple[str, str]]) -> None:
            """No frames: `tests/games` compares them."""

        def look(self, play: Play, at: int) -> None:
            person = {"0": guild.ada, "1": guild.ben}.get(str(self.audience), guild.eve)
            for command in ("match", "reserve", "record"):
                self._note(at, command, person.command(command, match=play.pk))
            for command in ("move", "pick"):
                offered = person.typing(command, "text", text="", match=play.pk).choices
                self.gathered.append((f"{at} {command}", offered))

        def _note(self, at: int, command: str, answer: Answer) -> None:
            guild.work()
            message = answer.original
            self.gathered.append((f"{at} {command}", (answer.body, message.body, message.files)))

        def ask(self, play: Play, at: int) -> None:
            """Nothing over HTTP."""

        look_around = ask

        def read_on(self, play: Play, stills: Callable[[], list[str]]) -> None:
            """What the bot has written to them: it stands there until the next run."""
            person = {"0": guild.ada, "1": guild.ben}.get(str(self.audience))
            if person is not None:
                told = guild.fake.told_directly(person.id)
                self.gathered.append(("told directly", [message.body for message in told]))

        def try_something(self, play: Play, at: int) -> None:
            for text in ("nonsense", "D4 90"):
                answer = guild.ben.command("move", text=text, match=play.pk)
                self.gathered.append((f"{at} {text}", answer.body))

    return Ear


class Theatre:
    """Where runs take place; in Discord nothing is left of the one before."""

    def __init__(self, guild: Guild, stage: secrecy.Stage) -> None:
        self.guild, self.stage = guild, stage

    def run(self, *given: Any) -> dict[Any, list[tuple[str, object]]]:
        """As `secrecy.Stage.run`."""
        self.guild.fake.messages.clear()
        return self.stage.run(*given)


@pytest.fixture
def theatre(
    guild: Guild,
    set_clock: Callable[[int], None],
    wire: Wire,  # noqa: F811
    ada: User,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> Theatre:
    monkeypatch.setattr(secrecy, "Onlooker", ear(guild))
    # Both hear of every turn by a direct message.
    guild.workers.at_once.update({TELL_TURN: tell_turn, DISCORD: write_directly})
    members = guild.fake.guilds[guild.channel.guild].members
    for person, user in ((guild.ada, ada), (guild.ben, ben)):
        members[person.id] = set()
        choices_set(acting_user=user, chosen={(TURN.key, Way.DISCORD): When.NOW})
    unhurried(guild.fake, monkeypatch)
    # The drawing itself is compared: making pixels of it takes long and hides differences.
    monkeypatch.setattr(replies, "png_of", str.encode)
    return Theatre(guild, secrecy.Stage(set_clock, wire, ada, ben))


@pytest.mark.parametrize(("ruleset", "number"), secrecy.twins_in_turn(0))
def test_twins_read_alike(
    ruleset: str, number: int, theatre: Theatre, orla: User, cleo: User
) -> None:
    twins = secrecy.TWINS[ruleset][number]()
    users = {"orla": orla, "cleo": cleo}
    one = theatre.run(ruleset, twins.one, users, twins)
    two = theatre.run(ruleset, twins.two, users, twins)
    for audience in (1, "room"):
        seen: list[Any] = list(zip(one[audience], two[audience], strict=True))
        assert len(seen) > 5
        for first, second in seen:
            assert first == second


def test_who_may_see_the_difference_does(theatre: Theatre, orla: User, cleo: User) -> None:
    """The comparison has teeth."""
    users = {"orla": orla, "cleo": cleo}
    twins = secrecy.tetronogo_twins("T early", "L early", 1)
    one = theatre.run("tetronogo", twins.one, users, twins, (0,))
    two = theatre.run("tetronogo", twins.two, users, twins, (0,))
    assert one[0] != two[0]
    (told,) = [each for name, each in one[0] if name == "told directly"]
    assert isinstance(told, list)
    assert told
    assert "Ben" in told[0]["content"]
