"""What pages are there for: the actions that each leads to once they can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib import admin
from django.urls import ResolverMatch, reverse

from accounts.models import User
from accounts.moderation.actions import USER, AtUser
from accounts.moderation.reports import must_be_open as must_be_workable
from core.admin.actions import action_address
from core.refusals import allowed
from games.models import Challenge
from games.services.challenges import (
    must_be_able_to_accept,
    must_be_challenger,
    must_be_open,
    must_be_opponent,
)
from tests.permissions.world import Scene
from tournaments.actions.challenges import CHALLENGE, ENTER
from tournaments.actions.contestants import APPLICATION, CONTESTANT, STRIKE_ABSENT
from tournaments.actions.death_matches import DEATH_MATCH
from tournaments.actions.episodes import CHOOSE
from tournaments.actions.follows import FOLLOW, UNFOLLOW
from tournaments.actions.items import GIFT
from tournaments.actions.ledger import CORRECT, ENTER_TOKEN, OFFER, PAY, USE_TOKEN
from tournaments.actions.legs import LEG
from tournaments.actions.players import (
    APPLY,
    CHECK_IN,
    CHOOSE_RULES,
    CONFIRM,
    GIVE,
    JOIN,
    LEAVE,
    TAKE_BACK,
    UNCONFIRM,
)
from tournaments.actions.predictions import PREDICT, PREDICT_WINNER
from tournaments.actions.rounds import ROUND
from tournaments.actions.seasons import CONCLUDE, ORGANISER, SEASON
from tournaments.actions.subjects import (
    AtApplication,
    AtContestant,
    AtDeathMatch,
    AtEntry,
    AtGift,
    AtLeg,
    AtPerson,
    AtPlace,
    AtRound,
    AtSeason,
)
from tournaments.models import Season
from tournaments.reading.ledger import entries_of
from tournaments.reading.sheet import Sheet


class Reading(NamedTuple):
    """A page as somebody has got it."""

    scene: Scene
    found: ResolverMatch
    answer: Any

    @property
    def user(self) -> User | None:
        """Whom the page takes its reader for."""
        user = self.answer.wsgi_request.user
        return user if isinstance(user, User) else None


Wanted = Iterator[tuple[bool, str]]


def _address(sheet: Sheet, name: str, *args: object) -> str:
    return reverse(f"tournaments:{name}", args=[sheet.season.slug, *args])


def _own(sheet: Sheet, user: User | None) -> Wanted:
    if user is None:
        return
    person = AtPerson(user, sheet, user)
    offered = any(each.offered(person) for each in (JOIN, APPLY, TAKE_BACK))
    yield offered, _address(sheet, "join")
    yield any(each.offered(person) for each in (FOLLOW, UNFOLLOW)), _address(sheet, "follow")
    if person.contestant is not None:
        subject = AtContestant(user, sheet, person.contestant)
        yield CHECK_IN.offered(subject), _address(sheet, "check_in")
        yield LEAVE.offered(subject), _address(sheet, "withdraw")
        yield GIVE.offered(subject), _address(sheet, "give")
        yield CHALLENGE.offered(subject), _address(sheet, "challenge")


def _choices(sheet: Sheet, user: User | None, number: int | None = None) -> Wanted:
    for each in sheet.rounds:
        found = sheet.episode_of(each)
        if (
            user is None
            or found is None
            or found.row.ec is None
            or number not in (None, each.number)
        ):
            continue
        own = found.row.ec.user_id == user.pk
        offered = own and CHOOSE.offered(AtRound(user, sheet, each))
        yield offered, _address(sheet, "choose", each.number)


def _before_matches(sheet: Sheet, user: User | None, pk: int) -> Wanted:
    found = sheet.death_match(pk)
    sides = {
        side.user_id: seat for seat, side in enumerate((found.row.home, found.row.away)) if side
    }
    if user is None or user.pk not in sides:
        return
    yield CHOOSE_RULES.offered(AtDeathMatch(user, sheet, found)), _address(sheet, "rules", pk)
    yield OFFER.offered(AtDeathMatch(user, sheet, found)), _address(sheet, "wager", pk)
    for leg in found.legs:
        ready = (leg.home_ready_at, leg.away_ready_at)[sides[user.pk]] is not None
        action = UNCONFIRM if ready else CONFIRM
        offered = action.offered(AtLeg(user, sheet, found, leg))
        yield offered, _address(sheet, "ready", pk, leg.pk)


def on_season(sheet: Sheet, user: User | None, **_kwargs: Any) -> Wanted:
    yield from _own(sheet, user)
    yield from _choices(sheet, user)
    for each in sheet.with_legs:
        if user is not None and user.pk in {s.user_id for s in (each.row.home, each.row.away) if s}:
            offered = CHOOSE_RULES.offered(AtDeathMatch(user, sheet, each))
            yield offered, _address(sheet, "rules", each.row.pk)


def on_items(sheet: Sheet, user: User | None, **_kwargs: Any) -> Wanted:
    give = _address(sheet, "give")
    yield from ((offered, address) for offered, address in _own(sheet, user) if address == give)


def on_round(sheet: Sheet, user: User | None, *, number: int, **_kwargs: Any) -> Wanted:
    yield from _choices(sheet, user, number)


def on_death_match(sheet: Sheet, user: User | None, *, pk: int, **_kwargs: Any) -> Wanted:
    yield from _before_matches(sheet, user, pk)


def on_desk(sheet: Sheet, user: User, **_kwargs: Any) -> Wanted:
    subject = AtSeason(user, sheet)
    for action in SEASON:
        yield action.offered(subject), _address(sheet, "step", action.name)
    if sheet.format.challenges:
        yield CONCLUDE.offered(subject), _address(sheet, "conclude")
        for each in sheet.contestants:
            offered = ENTER.offered(AtContestant(user, sheet, each))
            yield offered, _address(sheet, "challenge_enter", each.pk)


def on_organisers(sheet: Sheet, user: User, **_kwargs: Any) -> Wanted:
    for each in sheet.crew:
        for action in ORGANISER:
            offered = action.offered(AtPlace(user, sheet, each))
            yield offered, _address(sheet, "organiser_act", each.pk, action.name)


def on_roster(sheet: Sheet, user: User, **_kwargs: Any) -> Wanted:
    for each in sheet.contestants:
        for action in CONTESTANT:
            offered = action.offered(AtContestant(user, sheet, each))
            yield offered, _address(sheet, "contestant_act", each.pk, action.name)


def on_applications(sheet: Sheet, user: User, **_kwargs: Any) -> Wanted:
    for each in sheet.applications:
        for action in APPLICATION:
            offered = action.offered(AtApplication(user, sheet, each))
            yield offered, _address(sheet, "application_act", each.pk, action.name)


def on_check_in_desk(sheet: Sheet, user: User, **_kwargs: Any) -> Wanted:
    yield STRIKE_ABSENT.offered(AtSeason(user, sheet)), _address(sheet, "strike_absent")


def on_ledger(sheet: Sheet, user: User, **_kwargs: Any) -> Wanted:
    for each in sheet.gifts_for(user):
        offered = all(action.offered(AtGift(user, sheet, each)) for action in GIFT)
        yield offered, _address(sheet, "item_take_back", each.pk)


def on_purse(sheet: Sheet, user: User | None, **_kwargs: Any) -> Wanted:
    own = None if user is None else sheet.contestant_of(user)
    if user is not None and own is not None:
        subject = AtContestant(user, sheet, own)
        yield PAY.offered(subject), _address(sheet, "pay")
        yield USE_TOKEN.offered(subject), _address(sheet, "use_token")


def on_predictions(sheet: Sheet, user: User | None, **_kwargs: Any) -> Wanted:
    if user is None:
        return
    yield PREDICT_WINNER.offered(AtSeason(user, sheet)), _address(sheet, "predict_winner")
    for each in sheet.with_legs:
        if each.row.status == "planned":
            offered = PREDICT.offered(AtDeathMatch(user, sheet, each))
            yield offered, _address(sheet, "predict", each.row.pk)


def on_treasury(sheet: Sheet, user: User, **_kwargs: Any) -> Wanted:
    yield ENTER_TOKEN.offered(AtSeason(user, sheet)), _address(sheet, "treasury_token")
    for each in entries_of(sheet.season, user):
        offered = CORRECT.offered(AtEntry(user, sheet, each))
        yield offered, _address(sheet, "treasury_correct", each.pk)


def on_round_desk(sheet: Sheet, user: User, *, number: int, **_kwargs: Any) -> Wanted:
    own = {
        "placements": "placements",
        "scores": "scores",
        "choose": "choose",
        "times": "round_times",
    }
    subject = AtRound(user, sheet, sheet.round(number))
    for action in ROUND:
        args = (
            (own[action.name], number) if action.name in own else ("round_act", number, action.name)
        )
        yield action.offered(subject), _address(sheet, *args)


def on_match_desk(sheet: Sheet, user: User, *, pk: int, **_kwargs: Any) -> Wanted:
    found = sheet.death_match(pk)
    for action in DEATH_MATCH:
        offered = action.offered(AtDeathMatch(user, sheet, found))
        yield offered, _address(sheet, "match_act", pk, action.name)
    for leg in found.legs:
        for act in LEG:
            offered = act.offered(AtLeg(user, sheet, found, leg))
            yield offered, _address(sheet, "leg_act", pk, leg.pk, act.name)


ON_PAGES: dict[str, Callable[..., Wanted]] = {
    f"tournaments:{name}": wanted
    for name, wanted in (
        ("season", on_season), ("items", on_items), ("round", on_round),
        ("death_match", on_death_match), ("desk", on_desk), ("roster", on_roster),
        ("organisers", on_organisers),
        ("applications", on_applications), ("check_in_desk", on_check_in_desk),
        ("ledger", on_ledger), ("purse", on_purse), ("predictions", on_predictions),
        ("treasury", on_treasury), ("round_desk", on_round_desk), ("match_desk", on_match_desk),
    )
}  # fmt: skip


def on_challenge(challenge: Challenge, user: User) -> Wanted:
    is_open = allowed(must_be_open, challenge)
    for name, check in (
        ("accept", must_be_able_to_accept), ("decline", must_be_opponent),
        ("cancel", must_be_challenger),
    ):  # fmt: skip
        address = reverse(f"games:challenge_{name}", args=[challenge.pk])
        yield is_open and allowed(check, challenge, user), address


def on_row(reading: Reading) -> Wanted:
    """The actions of a row's page in the admin site."""
    label = reading.found.view_name.removeprefix("admin:").removesuffix("_change")
    app, _, model = label.partition("_")
    its: Any = admin.site._registry[apps.get_model(app, model)]
    request = reading.answer.wsgi_request
    row: Any = its.get_object(request, reading.found.kwargs["object_id"])
    for action in getattr(its, "row_actions", ()):
        offered = action.offered(its.subject_of(request, row))
        yield offered, action_address(row, action.name)
    if row in reading.scene.more.get("reports", ()) and row.about is not None:
        for name in ("warn", "mute", "suspend"):
            offered = allowed(must_be_workable, request.user, row)
            offered = offered and USER.named(name).offered(AtUser(request.user, row.about, row))
            yield offered, action_address(row.about, name)


def wanted_on(reading: Reading) -> Wanted:
    """What a page is there for: whether it can be done, and where."""
    name, kwargs = reading.found.view_name, dict(reading.found.kwargs)
    if name in ON_PAGES:
        kwargs.pop("slug")
        sheet = Sheet(Season.objects.get(pk=reading.scene.season.pk))
        yield from ON_PAGES[name](sheet, reading.user, **kwargs)
    elif name == "games:challenge_detail" and reading.user is not None:
        yield from on_challenge(reading.scene.challenge, reading.user)
    elif name.startswith("admin:") and name.endswith("_change"):
        yield from on_row(reading)
