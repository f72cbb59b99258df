"""Seasons: how they come about and change, who sees them, and when they end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.text import slugify

from accounts.models import User
from accounts.services import audit_record, users_lock
from core.clock import now_utc
from core.refusals import Forbidden, Refusal, Together
from games.options import pace
from games.options.late import must_be_a_delay
from tournaments import audience, lifecycle
from tournaments.formats import registry as formats_known
from tournaments.lifecycle import ContestantStatus, EpisodeStatus, SeasonStatus, Visibility
from tournaments.models import (
    Contestant,
    DeathMatch,
    Episode,
    LedgerEntry,
    NoShowRule,
    RulesetChoice,
    Season,
    SeasonOrganiser,
    SecretGifts,
    TimesRule,
)
from tournaments.models.seasons import PLACES_MIN
from tournaments.rights import Right, Role
from tournaments.services.events import season_event
from tournaments.services.follows import season_fall_silent
from tournaments.services.guards import (
    instant,
    line,
    must_manage,
    reason,
    season_lock,
    season_lock_managed,
)
from tournaments.services.ledger.book import pots
from tournaments.services.ledger.stakes import offers_drop, stakes_call_off
from tournaments.services.preflight import must_pass
from tournaments.services.repertoire import repertoire_validate
from tournaments.standings import metrics
from tournaments.trade import Trade, trade_of, trade_validate

NAME_MAX = 80
SUMMARY_MAX = 2000
PLACES_MAX = 2000
NO_SHOW_MINUTES_MAX = 7 * 24 * 60
PLAY_WITHIN_MAX = 60
SLUG_ATTEMPTS = 8
# What follows in the same transaction where a season has more places, or fewer.
_places_changed: list[Callable[[Season, datetime], object]] = []

# What follows in the same transaction where a season is over.
_over: list[Callable[[Season, datetime], object]] = []


def on_season_over(then: Callable[[Season, datetime], object]) -> None:
    """Have something follow where a season ends, or is called off: for who knows of what was secret
    until then. Again, it changes nothing."""
    if then not in _over:
        _over.append(then)


def on_places_changed(then: Callable[[Season, datetime], object]) -> None:
    """Have something follow where a season has more places, or fewer: for who knows of those who
    wait for one, which seasons do not. Again, it changes nothing."""
    if then not in _places_changed:
        _places_changed.append(then)


# -- making and changing -------------------------------------------------------------------------


@transaction.atomic
def season_create(
    *,
    acting_user: User,
    name: str,
    format: str,  # noqa: A002  (the field's own word)
    settings: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> Season:
    """Make a draft of a season; ``acting_user`` is its owner.

    ``settings``: any of the keys that `season_update` takes. Raises Refusal ``season.not-allowed``,
    ``format.unknown``, and as `season_update` does.
    """
    acting_user = users_lock([acting_user])[acting_user.pk]
    must_be_allowed_to_create(acting_user)
    formats_known.format_of(format)
    given = settings_validate(format, {"format_options": {}, **(settings or {}), "name": name})
    season = _create(format=format, created_by=acting_user, created_at=instant(at), **given)
    SeasonOrganiser.objects.create(
        season=season, user=acting_user, role=Role.OWNER, since=season.created_at
    )
    audit_record(
        acting_user=acting_user,
        action="season.create",
        target=season,
        data={"name": season.name, "format": format},
    )
    return season


def must_be_allowed_to_create(acting_user: User) -> None:
    """Raises Refusal ``season.not-allowed``."""
    if not audience.may_create_season(acting_user):
        raise Forbidden("season.not-allowed", "Only organisers may open a season.")


def _create(*, name: str, **fields: Any) -> Season:
    for _attempt in range(SLUG_ATTEMPTS):
        # Somebody else may take the slug between the look and the action.
        with suppress(IntegrityError), transaction.atomic():
            return Season.objects.create(slug=free_slug(name), name=name, **fields)
    return Season.objects.create(slug=free_slug(name), name=name, **fields)


def free_slug(name: str) -> str:
    """A slug for a season of that name that no other has."""
    stem = slugify(name)[:50] or "season"
    taken = set(Season.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    if stem not in taken:
        return stem
    return next(free for n in range(2, len(taken) + 3) if (free := f"{stem}-{n}") not in taken)


@transaction.atomic
def season_update(
    *, acting_user: User, season: Season, changes: Mapping[str, Any], at: datetime | None = None
) -> Season:
    """Change what stands in ``changes``: ``name``, ``summary``, ``open_enrolment``,
    ``by_application``, ``places`` (None: as many as like), ``repertoire`` (a list of objects with
    ``ruleset``, ``variant`` and perhaps ``options``), ``ruleset_choice``,
    ``pace``, ``no_show_minutes``, ``no_show_rule``, ``late_s`` (by how many seconds spectators see
    its matches late), ``times_by`` (who says when a death match is played), ``play_within_days``
    (the last that players agree on, after it is known who meets), ``trade`` (`tournaments.trade`),
    ``predictions`` (whether those who only watch say who will win),
    ``secret_gifts`` (whether what contestants give is secret until it is used),
    and, as long as the season has not begun, ``format_options`` and ``tie_breaks``: who plays for
    them must know them.

    Raises Refusal as `guards.season_lock_managed` does, ``season.over``, ``season.unknown-field``,
    ``season.begun`` (what can no longer change), ``season.name.*``, ``season.summary.*``,
    ``season.repertoire``, ``season.choice``, ``season.pace``, ``season.tie-breaks``,
    ``standings.*``, ``season.no-show``, ``season.places``, ``season.times-by``,
    ``season.play-within``, ``season.secret-gifts``, ``format.options``, ``setup.*``, ``trade.*``,
    ``season.own`` (what is traded, while they are in an open death match). With more places those
    who wait for one move up. Where what is traded changes in a running season, everybody who plays
    is told.
    """
    locked = season_lock_managed(season, acting_user)
    must_be_changeable(locked)
    if "format_options" in changes and locked.status != SeasonStatus.ENROLLING:
        raise Refusal("season.begun", "How a season is played cannot change once it has begun.")
    given = settings_validate(locked.format, changes)
    changed = {key: value for key, value in given.items() if getattr(locked, key) != value}
    if not changed:
        return locked
    if "tie_breaks" in changed and locked.status != SeasonStatus.ENROLLING:
        raise Refusal("season.begun", "What breaks ties is declared before a season begins.")
    if "places" in changed:
        must_have_places_for(locked, changed["places"])
    before_trade = trade_of(locked)
    if "trade" in changed:
        _must_keep_promises(locked, changed["trade"])
        _must_not_play_for_it(locked, acting_user)
    before = {key: getattr(locked, key) for key in changed}
    for key, value in changed.items():
        setattr(locked, key, value)
    locked.changed_at = now_utc()
    locked.save(update_fields=[*changed, "changed_at"])
    audit_record(
        acting_user=acting_user,
        action="season.update",
        target=locked,
        data={key: {"from": before[key], "to": changed[key]} for key in changed},
    )
    if "places" in changed:
        for each in _places_changed:
            each(locked, instant(at))
    _trade_tell(locked, before_trade, by=acting_user, at=instant(at))
    if before_trade.wagers not in (None, trade_of(locked).wagers):
        offers_drop(locked)
    return locked


def _must_keep_promises(season: Season, then: Mapping[str, Any]) -> None:
    """What is hidden stays so, and what there is of, once something has been entered in the ledger;
    and nobody begins with something else than others did. Raises Refusal ``trade.begun`` and
    ``trade.start``."""
    before, after = trade_of(season), msgspec.convert(then, Trade)
    entered = LedgerEntry.objects.filter(season=season).exists()
    fixed = [
        before.hidden != after.hidden,
        before.start != after.start,
        before.currency and not after.currency,
        before.tokens and not after.tokens,
    ]
    if entered and any(fixed):
        raise Refusal(
            "trade.begun",
            "Something has been entered: what there is, what everybody began with and what is "
            "hidden stay as they are.",
        )
    begins = [each.start if each.currency else 0 for each in (before, after)]
    # Those who are in would have nothing, and whoever enters late would begin with something.
    if season.status != SeasonStatus.ENROLLING and begins[1] not in (0, begins[0]):
        raise Refusal(
            "trade.start",
            "The season has begun: nobody begins with anything any more. Say 0 here, and enter "
            "what everybody gets once the currency is there.",
            field="start",
        )


def _must_not_play_for_it(season: Season, acting_user: User) -> None:
    """Nobody changes what is traded while they play for it. Raises Refusal ``season.own``."""
    own = Q(home__user=acting_user) | Q(away__user=acting_user)
    rows = DeathMatch.objects.filter(round__season=season, status__in=lifecycle.UNDECIDED)
    chooses = Episode.objects.filter(
        round__season=season, status=EpisodeStatus.CHOOSING, ec__user=acting_user
    )
    if rows.filter(own).exists() or chooses.exists():
        raise Forbidden(
            "season.own",
            "You are in a death match that is open: another organiser changes what is traded.",
        )


def _trade_tell(season: Season, before: Trade, *, by: User, at: datetime) -> None:
    """Tell everybody which rules of what is traded are others, while a season is on."""
    after = trade_of(season)
    now = [each for each in after.rules if each not in before.rules]
    gone = [each for each in before.rules if each not in after.rules]
    if season.status != SeasonStatus.RUNNING or not (now or gone):
        return
    said = [*now, *(["Before:", *gone] if gone else [])]
    season_event(
        season=season,
        kind="ruling",
        words=f"The rules of what is traded change. {' '.join(said)}",
        by=by,
        at=at,
    )


def must_have_places_for(season: Season, places: int | None) -> None:
    """Whether a season can have so few places: nobody who is in loses theirs. Raises Refusal
    ``season.places``."""
    if places is None or season.status != SeasonStatus.ENROLLING:
        return
    taken = season.contestants.filter(status=ContestantStatus.ENROLLED).count()
    if taken > places:
        raise Refusal("season.places", f"{taken} are in already: strike somebody off first.")


def must_be_changeable(season: Season) -> None:
    """Whether settings can still change. Raises Refusal ``season.over``."""
    if season.status in (SeasonStatus.FINISHED, SeasonStatus.CANCELLED):
        raise Refusal("season.over", "This season is over: its settings stay as they are.")


def settings_validate(format_id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a season of that format, as they are stored. Raises Refusal as `season_update`
    does, all of them together."""
    unknown = sorted(set(given) - set(_CHECKS) - {"format_options"})
    if unknown:
        raise Refusal("season.unknown-field", f"A season has no setting {unknown[0]!r}.")
    checked, faults = {}, Together()
    for key, value in given.items():
        with faults.of():
            if key == "format_options":
                formats_known.options_of(format_id, value)
                checked[key] = dict(value)
            else:
                checked[key] = _CHECKS[key](value)
    faults.settle()
    return checked


def _name(value: Any) -> str:
    return line(value, code="season.name", what="The season's name", most=NAME_MAX)


def _summary(value: Any) -> str:
    text = str(value).replace("\r\n", "\n").replace("\x00", "").strip()
    if len(text) > SUMMARY_MAX:
        raise Refusal("season.summary.too-long", f"A summary has at most {SUMMARY_MAX} characters.")
    return text


def _one_of(choices: Iterable[str], code: str, what: str) -> Any:
    known = list(choices)

    def check(value: Any) -> str:
        if value not in known:
            raise Refusal(code, f"{what} is one of {', '.join(known)}.")
        return str(value)

    return check


def _tie_breaks(value: Any) -> list[str]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise Refusal("season.tie-breaks", "Tie-breaks are a list of metrics.")
    keys = [str(key) for key in value]
    if keys:
        metrics.order_of(keys)
    return keys


def _minutes(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value <= NO_SHOW_MINUTES_MAX:
        raise Refusal(
            "season.no-show", f"The grace is 0 to {NO_SHOW_MINUTES_MAX} minutes, a whole number."
        )
    return value


def _places(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or not PLACES_MIN <= value <= PLACES_MAX:
        raise Refusal(
            "season.places", f"Places are {PLACES_MIN} to {PLACES_MAX}, or as many as like."
        )
    return value


def _delay(value: Any) -> int:
    must_be_a_delay(value)
    return int(value)


def _play_within(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= PLAY_WITHIN_MAX:
        raise Refusal(
            "season.play-within",
            f"A death match is played within 1 to {PLAY_WITHIN_MAX} days, a whole number.",
        )
    return value


_CHECKS: Final[dict[str, Any]] = {
    "name": _name,
    "summary": _summary,
    "open_enrolment": bool,
    "by_application": bool,
    "places": _places,
    "repertoire": repertoire_validate,
    "ruleset_choice": _one_of(RulesetChoice.values, "season.choice", "Who chooses the ruleset"),
    "pace": _one_of([each.id for each in pace.PACES], "season.pace", "The pace"),
    "tie_breaks": _tie_breaks,
    "no_show_minutes": _minutes,
    "late_s": _delay,
    "trade": trade_validate,
    "predictions": bool,
    "no_show_rule": _one_of(NoShowRule.values, "season.no-show", "The no-show rule"),
    "times_by": _one_of(TimesRule.values, "season.times-by", "Who says when it is played"),
    "play_within_days": _play_within,
    "secret_gifts": _one_of(SecretGifts.values, "season.secret-gifts", "Whether gifts are secret"),
}


def settings_of(season: Season) -> dict[str, Any]:
    """A season's settings but for its name, as `season_create` takes them for another one."""
    names = [*(key for key in _CHECKS if key != "name"), "format_options"]
    return {name: getattr(season, name) for name in names}


# -- visibility ----------------------------------------------------------------------------------


@transaction.atomic
def season_list(*, acting_user: User, season: Season, at: datetime | None = None) -> Season:
    """Make a draft public, or take a season out of the archive again. Raises Refusal
    ``season.not-organiser``, ``season.not-allowed`` (archived: organisers and moderators),
    ``lifecycle.step``."""
    locked = season_lock(season.pk)
    must_be_listable(locked, acting_user)
    return _show(locked, Visibility.LISTED, acting_user, at)


def must_be_listable(season: Season, acting_user: User) -> None:
    """Whether somebody can make a season public, or take it out of the archive. Raises Refusal
    ``season.not-organiser``, ``season.not-allowed`` and ``lifecycle.step``."""
    if season.visibility == Visibility.ARCHIVED:
        _must_be_allowed_to_shelve(season, acting_user)
    else:
        must_manage(season, acting_user)
    _visibility_after(season, Visibility.LISTED)


@transaction.atomic
def season_unlist(*, acting_user: User, season: Season, at: datetime | None = None) -> Season:
    """Make a season that never began a draft again, a cancelled one too. Raises Refusal as
    `guards.season_lock_managed` does, ``season.begun``, ``lifecycle.step``."""
    locked = season_lock_managed(season, acting_user)
    must_be_unlistable(locked)
    season_fall_silent(locked)
    return _show(locked, Visibility.DRAFT, acting_user, at)


def must_be_unlistable(season: Season) -> None:
    """Whether a season can become a draft again. Raises Refusal ``season.begun`` and
    ``lifecycle.step``."""
    if season.started_at is not None:
        raise Refusal("season.begun", "What has begun stays public.")
    _visibility_after(season, Visibility.DRAFT)


@transaction.atomic
def season_archive(*, acting_user: User, season: Season, at: datetime | None = None) -> Season:
    """Take a season off the lists; it stays readable and changes no more until listed again. Raises
    Refusal ``season.none``, ``season.not-allowed``, ``lifecycle.step``."""
    locked = season_lock(season.pk)
    must_be_archivable(locked, acting_user)
    return _show(locked, Visibility.ARCHIVED, acting_user, at)


def must_be_archivable(season: Season, acting_user: User) -> None:
    """Whether somebody can take a season off the lists. Raises Refusal ``season.not-allowed`` and
    ``lifecycle.step``."""
    _must_be_allowed_to_shelve(season, acting_user)
    _visibility_after(season, Visibility.ARCHIVED)


def _must_be_allowed_to_shelve(season: Season, acting_user: User) -> None:
    if not audience.may_shelve(season, acting_user):
        raise Forbidden(
            "season.not-allowed", "Only its organisers and moderators may archive a season."
        )


def _show(season: Season, visibility: Visibility, acting_user: User, at: datetime | None) -> Season:
    was = season.visibility
    season.visibility = _visibility_after(season, visibility)
    season.save(update_fields=["visibility"])
    audit_record(
        acting_user=acting_user,
        action=f"season.{visibility}",
        target=season,
        data={"from": was, "to": season.visibility},
    )
    if visibility == Visibility.LISTED and was == Visibility.DRAFT:
        season_event(
            season=season, kind="season.listed", words=f"{season.name} is announced.", at=at
        )
    return season


def _visibility_after(season: Season, visibility: Visibility) -> Visibility:
    return lifecycle.step(lifecycle.VISIBILITY, season.visibility, visibility, "The season")


# -- the course of a season ----------------------------------------------------------------------


def season_move(season: Season, status: SeasonStatus, **more: Any) -> None:
    season.status = lifecycle.step(lifecycle.SEASON, season.status, status, "The season")
    for key, value in more.items():
        setattr(season, key, value)
    season.save(update_fields=["status", *more])


@transaction.atomic
def season_cancel(
    *, acting_user: User, season: Season, why: str, at: datetime | None = None
) -> Season:
    """Call a season off for good; what was played stays, and what is wagered in death matches that
    nothing has decided comes back. Raises Refusal as `guards.season_lock_managed` does, ``why.*``,
    ``lifecycle.step``, ``season.leg-running``."""
    locked = season_lock_managed(season, acting_user, Right.OWN)
    must_be_cancellable(locked)
    why = reason(why)
    must_pass(locked, "cancel")
    at = instant(at)
    for each in _with_wagers(locked):
        stakes_call_off(each, why="The season is called off.", at=at)
    season_move(locked, SeasonStatus.CANCELLED, finished_at=at)
    season_event(
        season=locked,
        kind="season.cancelled",
        words=f"{locked.name} is called off: {why}",
        data={"why": why},
        by=acting_user,
        at=at,
    )
    audit_record(acting_user=acting_user, action="season.cancel", target=locked, data={"why": why})
    for then in _over:
        then(locked, at)
    return locked


def _with_wagers(season: Season) -> QuerySet[DeathMatch]:
    """The death matches that nothing has decided, and for which something is offered, or in the
    bank."""
    rows = DeathMatch.objects.filter(round__season=season, status__in=lifecycle.UNDECIDED)
    staked = Exists(pots(OuterRef("pk")))
    return rows.filter(Q(wager__isnull=False) | staked).select_related("round__season")


def must_be_cancellable(season: Season) -> None:
    """Whether a season can be called off, but for what `preflight` says. Raises Refusal
    ``lifecycle.step``."""
    lifecycle.step(lifecycle.SEASON, season.status, SeasonStatus.CANCELLED, "The season")


@transaction.atomic
def season_finish(
    *,
    acting_user: User | None,
    season: Season,
    winner: Contestant | None = None,
    at: datetime | None = None,
) -> Season:
    """End a running season with its winner; formats call it with their last result.

    Where only one is active it is they who have won; else ``winner`` must be given
    (`conclusion.season_conclude` sees to it that it is who stands first).
    Raises Refusal as `guards.season_lock_managed` does, ``lifecycle.step``,
    ``season.open-matches``, ``season.not-concluded``, ``season.no-winner``, ``season.winner-left``.
    """
    locked = season_lock_managed(season, acting_user)
    lifecycle.step(lifecycle.SEASON, locked.status, SeasonStatus.FINISHED, "The season")
    must_pass(locked, "finish")
    at = instant(at)
    active = list(locked.contestants.filter(status=ContestantStatus.ACTIVE)[:2])
    if winner is None:
        if len(active) != 1:
            raise Refusal("season.no-winner", "It must be said who has won.")
        winner = active[0]
    chosen = locked.contestants.filter(pk=winner.pk).first()
    if chosen is None or chosen.status != ContestantStatus.ACTIVE:
        raise Refusal("season.winner-left", "The winner must be a contestant who is still in.")
    chosen.place = 1
    chosen.save(update_fields=["place"])
    season_move(locked, SeasonStatus.FINISHED, finished_at=at, winner=chosen)
    season_event(
        season=locked,
        kind="season.finished",
        words=f"{chosen.name} has won {locked.name}.",
        data={"winner": chosen.pk, "name": chosen.name},
        contestant=chosen,
        at=at,
    )
    audit_record(
        acting_user=acting_user, action="season.finish", target=locked, data={"winner": chosen.pk}
    )
    for each in _over:
        each(locked, at)
    return locked


def season_reopen(*, season: Season, at: datetime) -> None:
    """A finished season goes on, since its last result did not stand: part of the action that took
    it back, under the season's lock."""
    if season.winner_id is not None:
        Contestant.objects.filter(pk=season.winner_id).update(place=None)
    season_move(season, SeasonStatus.RUNNING, finished_at=None, winner=None)
    season_event(season=season, kind="season.reopened", words=f"{season.name} goes on.", at=at)
