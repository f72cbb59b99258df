"""What an organiser should know before a step of a season, and what stops it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from django.db.models import Q, QuerySet

from accounts.mail import confirmed_addresses
from accounts.models import User
from accounts.moderation.standing import is_suspended
from core.refusals import Refusal, each_of, refusal_of
from tournaments import lifecycle
from tournaments.formats import registry as formats_known
from tournaments.lifecycle import UNDECIDED, ContestantStatus, LegStatus, SeasonStatus, Visibility
from tournaments.models import DeathMatch, Leg, Season
from tournaments.services.mail import unreached

Step = Literal["list", "start", "cancel", "finish", "archive"]


class Warned(NamedTuple):
    """Something to know before a step. ``stops``: the step will be refused for it."""

    code: str
    sentence: str
    stops: bool = False


def preflight(season: Season, step: Step, acting_user: User | None = None) -> list[Warned]:
    """What an organiser should know before a step, those that stop it first; ``acting_user`` is who
    would take it."""
    found = list(_PREFLIGHTS[step](season, acting_user))
    return sorted(found, key=lambda warned: not warned.stops)


def must_pass(season: Season, step: Step) -> None:
    """Raises Refusal for the first thing that stops a step, with its code (see `preflight`)."""
    for warned in preflight(season, step):
        if warned.stops:
            raise Refusal(warned.code, warned.sentence)


def _before_listing(season: Season, _user: User | None) -> Iterable[Warned]:
    if not season.repertoire:
        yield Warned("preflight.no-ruleset", "It is not said yet what is played.")


def _before_start(season: Season, _user: User | None) -> Iterable[Warned]:
    draft = refusal_of(must_not_be_draft, season)
    if draft is not None:
        yield Warned(draft.code, draft.sentence, stops=True)
    enrolled = list(
        season.contestants.filter(status=ContestantStatus.ENROLLED).select_related("user")
    )
    try:
        cautions = formats_known.cautions_of(season.format, season.format_options, len(enrolled))
    except Refusal as refusal:
        yield Warned(refusal.code, refusal.sentence, stops=True)
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
    users = [each.user for each in enrolled if each.user is not None]
    unconfirmed = len(users) - len(confirmed_addresses(users))
    for count, code, what in (
        (len(enrolled) - len(users), "preflight.no-account", "no account here, and cannot play"),
        (sum(not user.is_active for user in users), "preflight.closed", "a closed account"),
        (_count_suspended(users), "preflight.suspended", "a suspended account"),
        (unconfirmed, "preflight.no-mail", "no confirmed email address"),
    ):
        if count:
            yield Warned(code, f"{count} of {len(enrolled)} have {what}.")
    if unconfirmed:
        names = named(unreached(users))
        yield Warned("preflight.no-mail-to", f"Told on the site only, and not by mail: {names}.")
    yield from organisers_unreached(season)
    organisers = {each.user_id for each in season.organisers.all()}
    if organisers <= {user.pk for user in users}:
        yield Warned(
            "preflight.no-referee",
            "Every organiser plays: any organiser of the site will be able to referee.",
        )


def must_not_be_draft(season: Season) -> None:
    """Raises Refusal ``season.draft``."""
    if season.visibility == Visibility.DRAFT:
        raise Refusal("season.draft", "The season is still a draft: list it first.")


def organisers_unreached(season: Season) -> Iterator[Warned]:
    """Who runs the season and hears nothing by mail: that nobody has chosen in time, that somebody
    is not there, that a match cannot begin."""
    running = [each.user for each in season.organisers.select_related("user").order_by("pk")]
    missing = unreached(running)
    if not missing:
        return
    who = named(missing)
    words = "When something waits for an organiser, no mail reaches"
    if len(missing) == len(running):
        words = "When something waits for an organiser, nobody is told by mail: it does not reach"
    yield Warned("preflight.organiser-no-mail", f"{words} {who}. They have confirmed no address.")


def named(names: Sequence[str], most: int = 12) -> str:
    """Names for a sentence; of very many the first, and how many more."""
    more = len(names) - most
    parts = [*names[:most], f"{more} more"] if more > 0 else list(names)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)


def _count_suspended(users: Sequence[User]) -> int:
    pks = [user.pk for user in users]
    return sum(is_suspended(user) for user in User.objects.with_standing().filter(pk__in=pks))


def _before_cancelling(season: Season, _user: User | None) -> Iterable[Warned]:
    waiting = Leg.objects.filter(status=LegStatus.RUNNING, match__waits_until__isnull=False)
    waits = Q(pk__in=waiting.values("death_match"))
    for state, found in (
        ("Being played just now", being_played(season).exclude(waits)),
        ("Waiting for its players just now", being_played(season).filter(waits)),
    ):
        names = [str(each) for each in found[:4]]
        if names:
            who = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
            yield Warned(
                "season.leg-running",
                f"{state}: {who}. Let it end, or declare it void at its desk.",
                stops=True,
            )
    held = season.gifts.filter(status=lifecycle.GiftStatus.HELD).count()
    if held:
        yield Warned("preflight.items-held", f"{held} items will never be used.")
    yield Warned("preflight.final", "A cancelled season cannot be taken up again.")


def being_played(season: Season) -> QuerySet[DeathMatch]:
    """The death matches of which a match is on, or waits for its players."""
    rows = DeathMatch.objects.filter(round__season=season, legs__status=LegStatus.RUNNING)
    return rows.select_related("home", "away").order_by("pk")


def _open_matches(season: Season) -> int:
    return DeathMatch.objects.filter(round__season=season, status__in=UNDECIDED).count()


def _before_finishing(season: Season, user: User | None) -> Iterable[Warned]:
    count = _open_matches(season)
    if count:
        yield Warned(
            "season.open-matches",
            f"{count} death match{'es are' if count > 1 else ' is'} not decided.",
            stops=True,
        )
    own = formats_known.format_of(season.format)
    refusal = refusal_of(own.must_be_endable, season=season, open_matches=count, acting_user=user)
    for each in () if refusal is None else each_of(refusal):
        # Who breaks a tie names the winner with the step: nothing has to be done before it.
        yield Warned(each.code, each.sentence, stops=each.code != "season.tied")


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
