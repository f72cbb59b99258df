"""The tables of actions: what is offered is what services let pass, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.actions import Action, Actions
from core.refusals import Refusal
from tests.tournaments.support import after, begun, chosen, leg_of, played, running
from tournaments.actions.death_matches import DEATH_MATCH
from tournaments.actions.legs import LEG
from tournaments.actions.seasons import MODERATED, SEASON
from tournaments.actions.subjects import AtDeathMatch, AtLeg, AtSeason
from tournaments.formats.elimination.episodes import episode_open
from tournaments.models import DeathMatch, Season
from tournaments.reading.sheet import Sheet
from tournaments.services.seasons import season_cancel

pytestmark = pytest.mark.django_db

State = Callable[[User], DeathMatch]


def planned(orla: User) -> DeathMatch:
    return chosen(orla, running(orla, 4), 4, 3)


def no_game(orla: User) -> DeathMatch:
    return chosen(orla, running(orla, 4, repertoire=[]), 4, 3)


def on(orla: User) -> DeathMatch:
    row = planned(orla)
    begun(orla, row, at=timezone.now())
    return row


def decided(orla: User) -> DeathMatch:
    return played(orla, planned(orla), 0)


def frozen(orla: User) -> DeathMatch:
    row = decided(orla)
    episode_open(acting_user=orla, season=row.round.season, at=after(hours=1))
    return row


def called_off(orla: User) -> DeathMatch:
    row = planned(orla)
    season_cancel(acting_user=orla, season=row.round.season, why="rain")
    return row


# What the desk offers, and then of the match itself.
OFFERED: list[tuple[State, list[str], list[str]]] = [
    (planned, ["rules", "walkover", "declare", "void"], ["schedule", "start"]),
    (no_game, ["rules", "walkover", "declare", "void"], ["schedule"]),
    (on, ["walkover", "declare", "void"], ["void"]),
    (decided, ["correct", "void"], ["void"]),
    (frozen, [], []),
    (called_off, [], []),
]


def at(orla: User, row: DeathMatch) -> tuple[AtDeathMatch, AtLeg]:
    """The death match and its match, as a page reads them."""
    sheet = Sheet(Season.objects.get(pk=row.round.season_id))
    found = sheet.death_match(row.pk)
    leg = found.leg(leg_of(row).pk)
    return AtDeathMatch(orla, sheet, found), AtLeg(orla, sheet, found, leg)


def outcome(action: Action[Any], subject: AtDeathMatch) -> str:
    """The code with which the service refuses what a sound form asks for; empty where it does not.
    Nothing of it stays."""
    when = f"{timezone.now() + timedelta(days=30):%Y-%m-%dT20:00}"
    said = {"why": "So.", "game": "tetronogo/standard", "when": when}
    forms: list[Any] = [None]
    if action.form is not None:
        make = action.form(subject)
        forms = [make({**said, "winner": str(side.pk)}) for side in subject.sides]
    form = next(form for form in forms if form is None or form.is_valid())
    try:
        with transaction.atomic():
            action.run(subject, form)
            transaction.set_rollback(True)
    except Refusal as refusal:
        return refusal.code
    return ""


@pytest.mark.parametrize(("state", "of_all", "of_one"), OFFERED)
def test_what_is_offered_is_what_services_let_pass(
    orla: User, state: State, of_all: list[str], of_one: list[str]
) -> None:
    whole, one = at(orla, state(orla))
    assert [offer.name for offer in DEATH_MATCH.offered(whole)] == of_all
    assert [offer.name for offer in LEG.offered(one)] == of_one
    pairs: list[tuple[Any, Actions[Any]]] = [(whole, DEATH_MATCH), (one, LEG)]
    for subject, table in pairs:
        for action in table:
            refusal = action.refusal(subject)
            code = "" if refusal is None else refusal.code
            assert outcome(action, subject) == code, (table.of, action.name)


def test_the_admin_site_has_the_desks_own_actions() -> None:
    assert all(any(own is each for own in SEASON) for each in MODERATED)


def test_who_may_is_asked_once_for_a_page(
    orla: User, django_assert_num_queries: Any, cleo: User
) -> None:
    season = running(orla, 4)
    sheet = Sheet(Season.objects.get(pk=season.pk))
    subject = AtSeason(cleo, sheet)
    for _each in range(2):
        with pytest.raises(Refusal, match=r"season\.not-organiser"):
            subject.must_manage()
    subject = AtSeason(User.objects.get(pk=orla.pk), sheet)
    subject.must_manage()
    with django_assert_num_queries(0):
        subject.must_manage()


def test_an_action_that_there_is_not_is_not_found() -> None:
    with pytest.raises(Refusal) as caught:
        Actions[AtSeason]("season", ()).named("fly")
    assert (caught.value.code, caught.value.status) == ("season.none", 404)
