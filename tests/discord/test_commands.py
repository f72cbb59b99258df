"""What Discord is told of the commands."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.discord.text import escaped
from tournaments.discord.answering import _SHAPES
from tournaments.discord.commands import COMMANDS, PRESSED
from tournaments.discord.fake import schemas
from tournaments.discord.fake.server import FakeDiscord
from tournaments.discord.interactions import Reply


def told(*arguments: str) -> str:
    out = io.StringIO()
    call_command("discord_commands", *arguments, stdout=out)
    return out.getvalue()


def test_discord_takes_them() -> None:
    schemas.commands_check([each.registered() for each in COMMANDS.values()])


def test_they_are_those_that_the_issue_names() -> None:
    assert set(COMMANDS) == {
        "link", "season", "standings", "match", "move", "pick", "ready", "challenge", "choose",
        "reserve", "record", "follow", "unfollow",
    }  # fmt: skip


def test_every_button_has_a_shape() -> None:
    assert set(_SHAPES) == set(PRESSED)


def test_what_is_long_is_cut() -> None:
    """Escaped, it may be longer than Discord takes."""
    reply = Reply(escaped("*" * schemas.CONTENT_MOST))
    schemas.answer_check(2, reply.answer)
    assert len(reply.message["content"]) > schemas.CONTENT_MOST - 3


def test_registering_them_twice_changes_nothing(application: FakeDiscord) -> None:
    assert told() == f"{len(COMMANDS)} commands in all servers.\n"
    first = application.commands[""]
    told()
    assert application.commands == {"": first}


def test_in_one_server(application: FakeDiscord) -> None:
    guild = application.guild()
    assert told("--guild", guild.id) == f"{len(COMMANDS)} commands in server {guild.id}.\n"
    assert set(application.commands) == {guild.id}
    with pytest.raises(CommandError, match="did not take them"):
        told("--guild", "5")


def test_looking_only(application: FakeDiscord) -> None:
    shown = json.loads(told("--dry-run"))
    assert [each["name"] for each in shown] == list(COMMANDS)
    assert application.requests == []


@pytest.mark.parametrize("missing", ["GAUNTLET_DISCORD_BOT_TOKEN", "GAUNTLET_DISCORD_CLIENT_ID"])
def test_without_an_application_there_is_nothing_to_tell(
    application: FakeDiscord, settings: Any, missing: str
) -> None:
    setattr(settings, missing, "")
    with pytest.raises(CommandError, match="must be set"):
        told()
