"""Buttons below what the bot said: there until nobody can press them any more."""

from __future__ import annotations

import pytest

from tests.discord.support import Guild, Press, labels
from tests.games.support import committing
from tests.posts.support import Told
from tests.tournaments.support import START, fresh
from tournaments.discord.fake.schemas import UPDATE
from tournaments.posts.kinds import CLOCKS, THREADS
from tournaments.services.results import corrections

pytestmark = pytest.mark.django_db


def test_a_seasons_button_goes_once_nobody_can_press_it(
    guild: Guild, told: Told, old_buttons: Press
) -> None:
    """That of a reminder, which is not edited."""
    told.connect(THREADS, CLOCKS)
    stage = told.stage
    stage.leg.scheduled_at = START
    stage.leg.save()
    stage.event("death-match.reminder", f"{stage.death_match} begins soon.", leg=stage.leg)
    told.say()
    (reminder,) = told.in_thread()
    here = f"here:{stage.leg.pk}"
    assert labels(reminder) == ["I'm ready", "Open the death match"]
    assert guild.ada.press(here, reminder).body["type"] != UPDATE
    assert "I'm ready" in labels(reminder)
    with committing():
        corrections.death_match_void(
            acting_user=stage.orla, death_match=fresh(stage.death_match), why="so", at=START
        )
    assert old_buttons(guild.ada, here, reminder) == (
        ["Open the death match"],
        "No match waits for you to be ready.",
    )
