"""What the bot has said of somebody who has their account deleted reads otherwise in Discord."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.leaving.services import user_erase
from accounts.models import DiscordLink
from tests.games.support import committing
from tests.posts.support import Told
from tournaments.models import DiscordPost, Season

pytestmark = pytest.mark.django_db


def stands(told: Told) -> list[str]:
    """Everything that the bot has said, as it stands there now."""
    return [str(message.body) for message in told.fake.messages.values()]


def test_messages_are_edited(told: Told, set_clock: Callable[[int], None]) -> None:
    set_clock(0)
    told.connect()
    play = told.stage.play()
    ada = told.stage.home
    told.stage.event("ruling", words="Ada gets another minute.", contestant=ada)
    play.move(0, "concede", 5000)
    told.say(after=timedelta(minutes=1))
    before = stands(told)
    named = [body for body in before if "Ada" in body]
    assert len(named) >= 2
    finished: dict[str, Any] = {"status": "finished", "finished_at": timezone.now()}
    Season.objects.filter(pk=told.stage.season.pk).update(**finished)
    with committing():
        user_erase(user=told.stage.ada)
    assert not DiscordPost.objects.filter(body__contains="Ada").exists()
    told.say(after=timedelta(minutes=1))
    after = stands(told)
    assert len(after) == len(before)
    assert [body for body in after if "Ada" in body] == []
    assert sum("Former player" in body for body in after) >= len(named)
    assert not DiscordLink.objects.filter(user=told.stage.ada).exists()
