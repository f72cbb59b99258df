"""What an organiser should know before a step of a season, and what stops it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from django.db.models import Q, QuerySet

from accounts.addresses import confirmed_addresses
from accounts.models import User
from accounts.moderation.standing import is_suspended
from core.refusals import Refusal, Together, each_of, refusal_of
from tournaments import audience, lifecycle
from tournaments.formats import registry as formats_known
from tournaments.lifecycle import (
    UNDECIDED,
    ApplicationStatus,
    ContestantStatus,
    LegStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import DeathMatch, Leg, Season
from tournaments.rights import Right
from tournaments.services.guards import must_not_be_draft
from tournaments.services.mail import addresses_of, unreached

Step = Literal["list", "start", "cancel", "finish", "archive"]


class Warned(NamedTuple):
    """Something to know before a step. ``stopped_by``: what the step will be refused with."""

    code: str
    sentence: str
    stopped_by: Refusal | None = None

    @property
    def stops(self) -> bool:
        """Whether the step will be refused for it."""
        return self.stopped_by is not None


def _stop(refusal: Refusal) -> Warned:
    return Warned(refusal.code, refusal.sentence, refusal)


def _stops(check: Callable[..., object], *args: object, **kwargs: object) -> Iterator[Warned]:
    """What a check that the step asks as well raises, each by itself."""
    refusal = refusal_of(check, *args, **kwargs)
    if refusal is not None:
        yield from map(_stop, each_of(refusal))


def preflight(season: Season, step: Step, acting_user: User | None = None) -> list[Warned]:
    """What an organiser should know before a step, those that stop it first; ``acting_user`` is who
    would take it."""
    found = list(_PREFLIGHTS[step](season, acting_user))
    return sorted(found, key=lambda warned: not warned.stops)


def must_pass(season: Season, step: Step) -> None:
    """Raises Refusal for the first thing that stops a step (see `preflight`)."""
    for warned in preflight(season, step):
        if warned.stopped_by is not None:
            raise warned.stopped_by


def _before_listing(season: Season, _user: User | None) -> Iterable[Warned]:
    if not season.repertoire:
        yield Warned("preflight.no-ruleset", "It is not said yet what is played.")


def must_have_nobody_held(season: Season) -> None:
    """Whether every place has somebody. Raises Refusal ``season.places-held``."""
    rows = season.contestants.filter(
        user=None, invitation__isnull=False, status=ContestantStatus.ENROLLED
    )
    names = list(rows.order_by("pk").values_list("name", flat=True))
    if names:
        raise Refusal(
            "season.places-held",
            f"Nobody has taken the places of {named(names)} yet: wait, or strike them off.",
        )


def _before_start(season: Season, _user: User | None) -> Iterable[Warned]:
    yield from _stops(must_not_be_draft, season)
    yield from _stops(must_have_nobody_held, season)
    enrolled = list(
        season.contestants.filter(status=ContestantStatus.ENROLLED).select_related("user")
    )
    try:
        cautions = formats_known.cautions_of(season.format, season.format_options, len(enrolled))
    except Refusal as refusal:
        yield _stop(refusal)
    else:
        for caution in cautions:
            yield Warned(caution.code, caution.sentence)
    unseeded = sum(each.seed is None for each in enrolled)
    if unseeded:
        yield Warned(
            "preflight.unseeded",
            f"{unseeded} of {len(enrolled)} have no seed: they come after those who have one, "
            "in the order in which they enrolled.",
        )
    yield from _before_listing(season, None)
    yield from _left_out(season)
    absent = sum(each.checked_in_at is None for each in enrolled)
    if season.check_in_until is not None and absent:
        words = f"{absent} of {len(enrolled)} have not checked in."
        yield Warned("preflight.check-in", words)
    users = [each.user for each in enrolled if each.user is not None]
    # Of whoever is entered into a draft nobody hears: it would tell whom mail reaches.
    is_draft = season.visibility == Visibility.DRAFT
    unconfirmed = 0 if is_draft else len(users) - len(confirmed_addresses(users))
    for count, code, what in (
        (len(enrolled) - len(users), "preflight.no-account", "no account here, and cannot play"),
        (sum(not user.is_active for user in users), "preflight.closed", "a closed account"),
        (_count_suspended(users), "preflight.suspended", "a suspended account"),
        (unconfirmed, "preflight.no-mail", "no confirmed email address"),
    ):
        if count:
            yield Warned(code, f"{count} of {len(enrolled)} have {what}.")
    missing = [] if is_draft else unreached(users)
    if missing:
        words = f"Away from the site nothing reaches these, so tell them: {named(missing)}."
        yield Warned("preflight.unreached", words)
    yield from organisers_unreached(season)
    referees = {each.user_id for each in season.organisers.holding(Right.MATCHES)}
    if referees <= {user.pk for user in users}:
        yield Warned(
            "preflight.no-referee",
            "Everybody who could rule plays: any organiser of the site will be able to referee.",
        )


def _left_out(season: Season) -> Iterator[Warned]:
    """Those without whom the season would begin, though they have asked to be in it."""
    states = list(season.applications.values_list("status", flat=True))
    asked, waiting = (
        states.count(each) for each in (ApplicationStatus.ASKED, ApplicationStatus.WAITING)
    )
    if asked:
        who = "1 application is" if asked == 1 else f"{asked} applications are"
        yield Warned(
            "preflight.undecided",
            f"{who} not decided: who applied is told that the season has begun without them.",
        )
    if waiting:
        who = "1 person waits" if waiting == 1 else f"{waiting} people wait"
        yield Warned(
            "preflight.waiting",
            f"{who} for a place, and will be told that the season has begun without them.",
        )


def organisers_unreached(season: Season) -> Iterator[Warned]:
    """Who runs the season and hears nothing by mail, and whether they hear at all: that nobody has
    chosen in time, that somebody is not there, that a match cannot begin."""
    rows = season.organisers.holding(Right.RUN).select_related("user").order_by("pk")
    running = [each.user for each in rows]
    addresses = addresses_of(running)
    without = [user.shown_name for user in running if user.pk not in addresses]
    if not without:
        return
    who = f"When something waits for an organiser, no mail reaches {named(without)}."
    missing = unreached(running)
    if not missing:
        rest = "They have confirmed no address, and hear of it on their devices or in Discord."
    elif len(missing) == len(running):
        who = "When something waits for an organiser, nobody is told away from the site."
        rest = f"Nothing reaches {named(missing)}: they have confirmed no address."
    elif missing == without:
        rest = "They have confirmed no address, and nothing else reaches them away from the site."
    else:
        rest = (
            "They have confirmed no address. Nothing at all reaches "
            f"{named(missing)} away from the site."
        )
    yield Warned("preflight.organiser-no-mail", f"{who} {rest}")


def named(names: Sequence[str], most: int = 12) -> str:
    """Names for a sentence; of very many the first, and how many more."""
    more = len(names) - most
    parts = [*names[:most], f"{more} more"] if more > 0 else list(names)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)


def _count_suspended(users: Sequence[User]) -> int:
    pks = [user.pk for user in users]
    return sum(is_suspended(user) for user in User.objects.with_standing().filter(pk__in=pks))


def must_not_be_under_way(season: Season) -> None:
    """Whether nobody plays or waits for a match to begin. Raises Refusal ``season.leg-running``."""
    waiting = Leg.objects.filter(status=LegStatus.RUNNING, match__waits_until__isnull=False)
    waits = Q(pk__in=waiting.values("death_match"))
    faults = Together()
    for state, found in (
        ("Being played just now", being_played(season).exclude(waits)),
        ("Waiting for its players just now", being_played(season).filter(waits)),
    ):
        names = [str(each) for each in found[:4]]
        if names:
            who = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
            words = f"{state}: {who}. Let it end, or declare it void at its desk."
            faults.note(Refusal("season.leg-running", words))
    faults.settle()


def _before_cancelling(season: Season, user: User | None) -> Iterable[Warned]:
    yield from _stops(must_not_be_under_way, season)
    seen = Q() if user is None else audience.gifts_visible_to(season, user)
    held = season.gifts.filter(seen, status=lifecycle.GiftStatus.HELD).count()
    if held:
        yield Warned("preflight.items-held", f"{held} items will never be used.")
    yield Warned("preflight.final", "A cancelled season cannot be taken up again.")


def being_played(season: Season) -> QuerySet[DeathMatch]:
    """The death matches of which a match is on, or waits for its players."""
    rows = DeathMatch.objects.filter(round__season=season, legs__status=LegStatus.RUNNING)
    return rows.select_related("home", "away").order_by("pk")


def _open_matches(season: Season) -> int:
    return DeathMatch.objects.filter(round__season=season, status__in=UNDECIDED).count()


def must_have_decided(count: int) -> None:
    """Whether none of a season's death matches is open, of which there are ``count``. Raises
    Refusal ``season.open-matches``."""
    if count:
        words = f"{count} death match{'es are' if count > 1 else ' is'} not decided."
        raise Refusal("season.open-matches", words)


def _before_finishing(season: Season, user: User | None) -> Iterable[Warned]:
    count = _open_matches(season)
    yield from _stops(must_have_decided, count)
    own = formats_known.format_of(season.format)
    check = partial(own.must_be_endable, season=season, open_matches=count, acting_user=user)
    for each in _stops(check):
        # Who breaks a tie names the winner with the step: nothing has to be done before it.
        yield each._replace(stopped_by=None) if each.code == "season.tied" else each


def _before_archiving(season: Season, _user: User | None) -> Iterable[Warned]:
    if season.status == SeasonStatus.RUNNING:
        yield Warned(
            "preflight.running", "The season is running: nothing in it can change while archived."
        )


_PREFLIGHTS: Final[dict[str, Any]] = {
    "list": _before_listing,
    "start": _before_start,
    "cancel": _before_cancelling,
    "finish": _before_finishing,
    "archive": _before_archiving,
}
