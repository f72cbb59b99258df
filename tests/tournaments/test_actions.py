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
from tests.tournaments.support import (
    WARS,
    account,
    after,
    begun,
    chosen,
    enrolled,
    leg_of,
    played,
    running,
    who,
)
from tournaments.actions.contestants import ENROL, ENROL_MANY
from tournaments.actions.death_matches import DEATH_MATCH
from tournaments.actions.legs import LEG
from tournaments.actions.players import BRING, CONFIRM, JOIN, LEAVE_AT_HOME, UNCONFIRM
from tournaments.actions.seasons import DRAW_SEEDS, MODERATED, SEASON
from tournaments.actions.subjects import AtDeathMatch, AtItem, AtLeg, AtPerson, AtSeason
from tournaments.formats.elimination.episodes import episode_open
from tournaments.items.catalogue import catalogue
from tournaments.models import DeathMatch, Season
from tournaments.reading.sheet import Sheet
from tournaments.services.items.declarations import item_declare
from tournaments.services.items.gifts import item_give
from tournaments.services.scheduling.appointments import leg_schedule
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
    (planned, ["rules", "walkover", "declare", "void"], ["schedule", "remind", "start"]),
    (no_game, ["rules", "walkover", "declare", "void"], ["schedule", "remind"]),
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
    said = {"why": "So.", "game": "tetronogo/standard", "when": when, "amount": "1"}
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


# -- entering, and who runs it -------------------------------------------------------------------


def open_to_all(orla: User) -> Season:
    return enrolled(orla, 3, open_enrolment=True)


def begun_elimination(orla: User) -> Season:
    return running(orla, 3)


def begun_bracket(orla: User) -> Season:
    return running(orla, 4, "single-elimination")


def over(orla: User) -> Season:
    season = enrolled(orla, 3)
    season_cancel(acting_user=orla, season=season, why="rain")
    return season


def code_of(action: Action[Any], subject: Any, **said: str) -> str:
    """The code with which the service refuses; empty where it does not. Nothing of it stays."""
    form = None if action.form is None else action.form(subject)(said)
    assert form is None or form.is_valid()
    try:
        with transaction.atomic():
            action.do(subject, form)
            transaction.set_rollback(True)
    except Refusal as refusal:
        return refusal.code
    return ""


def offered_code(action: Action[Any], subject: Any) -> str:
    """The code with which its check refuses; empty where it does not."""
    refusal = action.refusal(subject)
    return "" if refusal is None else refusal.code


@pytest.mark.parametrize(
    ("state", "codes"),
    [
        (open_to_all, ("", "contestant.twice", "", "")),
        (begun_elimination, ("", "contestant.twice", "enrolment.closed", "seed.fixed")),
        (begun_bracket, ("entry.closed", "contestant.twice", "enrolment.closed", "seed.fixed")),
        (over, ("season.over", "season.over", "enrolment.closed", "seed.fixed")),
    ],
)
def test_who_can_be_entered_is_what_the_services_let_in(
    orla: User, cleo: User, state: Callable[[User], Season], codes: tuple[str, str, str, str]
) -> None:
    enrol, again, join, draw = codes
    season = state(orla)
    sheet = Sheet(Season.objects.get(pk=season.pk))
    for action, subject, code in (
        (ENROL, AtPerson(orla, sheet, cleo), enrol),
        (ENROL, AtPerson(orla, sheet, account(season, 1)), again),
        (ENROL, AtPerson(cleo, sheet, cleo), "season.not-organiser"),
        (JOIN, AtPerson(cleo, sheet, cleo), join),
        (DRAW_SEEDS, AtSeason(orla, sheet), draw),
    ):
        assert (offered_code(action, subject), code_of(action, subject)) == (code, code), action
    # Of a list the service says line by line what is wrong.
    many = AtSeason(orla, sheet)
    assert ENROL_MANY.offered(many) == (code_of(ENROL_MANY, many, text="cleo") == "")


# -- before a match ------------------------------------------------------------------------------


def set_for_later(orla: User) -> DeathMatch:
    row = planned(orla)
    later = timezone.now() + timedelta(days=1)
    leg_schedule(acting_user=orla, leg=leg_of(row), scheduled_at=later)
    return row


@pytest.mark.parametrize(
    ("state", "confirm", "unconfirm"),
    [
        (planned, "", ""),
        (no_game, "leg.rules-missing", ""),
        (set_for_later, "ready.too-early", ""),
        (on, "leg.not-planned", "leg.not-planned"),
        (called_off, "season.not-running", "season.not-running"),
    ],
)
def test_who_can_be_ready_is_what_the_service_takes(
    orla: User, state: State, confirm: str, unconfirm: str
) -> None:
    row = state(orla)
    season = row.round.season
    for user in (account(season, 4), account(season, 3), orla):
        _whole, leg = at(user, row)
        for action, code in ((CONFIRM, confirm), (UNCONFIRM, unconfirm)):
            wanted = "ready.not-yours" if user == orla and state is not called_off else code
            assert (offered_code(action, leg), code_of(action, leg)) == (wanted, wanted), action


def test_which_items_can_be_brought_is_what_the_service_takes(orla: User) -> None:
    row = chosen(orla, running(orla, 4, repertoire=[WARS]), 4, 3)
    season = row.round.season
    fits = next(each for each in catalogue() if each.ruleset == WARS["ruleset"])
    odd = next(each for each in catalogue() if each.ruleset not in ("", WARS["ruleset"]))
    for item in (fits, odd):
        item_give(
            acting_user=orla, season=season, item=item.id, ruleset=item.ruleset,
            receiver=who(season, 4),
        )  # fmt: skip
    player, other = account(season, 4), account(season, 3)

    def codes(user: User) -> list[tuple[str, str]]:
        whole, leg = at(user, row)
        found = []
        for gift in whole.sheet.gifts_for(whole.user):
            subject = AtItem(user, whole.sheet, leg.with_legs, leg.leg, gift)
            for action in (BRING, LEAVE_AT_HOME):
                assert offered_code(action, subject) == code_of(action, subject), action
            found.append((offered_code(BRING, subject), offered_code(LEAVE_AT_HOME, subject)))
        return sorted(found)

    assert codes(player) == [("", "item.not-declared"), ("item.unfit", "item.not-declared")]
    assert codes(other) == [("item.not-yours", "item.not-declared")] * 2
    assert codes(orla) == [("item.not-yours", "item.not-yours")] * 2
    gift = season.gifts.get(ruleset=WARS["ruleset"])
    item_declare(acting_user=player, leg=leg_of(row), gift=gift)
    assert codes(player) == [("", ""), ("item.unfit", "item.not-declared")]


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
