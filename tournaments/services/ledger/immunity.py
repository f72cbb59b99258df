"""Tokens of immunity, used for an episode."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.refusals import Forbidden, Refusal
from tournaments import audience
from tournaments.lifecycle import ContestantStatus, EpisodeStatus
from tournaments.models import Contestant, EntryKind, Episode, LedgerEntry, Round, Season, Unit
from tournaments.services.events import season_event
from tournaments.services.guards import (
    heirs_of,
    instant,
    must_be_running,
    must_not_be_archived,
    season_lock,
)
from tournaments.services.ledger.book import (
    Moved,
    balance_of,
    entries_write,
    is_over,
    must_trade,
    offered_by,
)
from tournaments.trade import trade_of

#: An episode has an EC, and somebody whom the EC can choose.
EXPOSED_LEAST: Final = 2


def immune_by_token(played: Round) -> frozenset[int]:
    """Who is immune in an episode by a token, by id: whoever holds the place now of somebody who
    has used one."""
    used = LedgerEntry.objects.filter(
        round=played, kind=EntryKind.SPENT, unit=Unit.TOKEN, reversed_by__isnull=True
    )
    holders = {pk for pk in used.values_list("payer", flat=True) if pk is not None}
    return frozenset(holders | heirs_of(holders))


@transaction.atomic
def token_spend(
    *, acting_user: User, contestant: Contestant, at: datetime | None = None
) -> LedgerEntry:
    """Use a token for the episode whose main match is on: its holder, or an organiser who enters
    it. They are immune in it; everybody is told.

    Raises Refusal ``season.none``, and as `must_be_spending` does.
    """
    season = season_lock(contestant.season_id)
    found = season.contestants.select_related("user").get(pk=contestant.pk)
    played = must_be_spending(season, found, acting_user)
    at = instant(at)
    moved = Moved(kind=EntryKind.SPENT, amount=1, payer=found, unit=Unit.TOKEN, round=played)
    (entry,) = entries_write(season=season, moved=[moved], by=acting_user, at=at)
    season_event(
        season=season,
        kind="ledger.token",
        words=f"{found.name} uses an immunity token in {played.name}.",
        data={"contestant": found.pk, "name": found.name, "round": played.number},
        round=played,
        contestant=found,
        by=None if found.user_id == acting_user.pk else acting_user,
        at=at,
    )
    audit_record(
        acting_user=acting_user,
        action="ledger.token",
        target=entry,
        data={"season": season.pk, "contestant": found.pk, "round": played.pk},
    )
    return entry


def must_be_spending(season: Season, contestant: Contestant, acting_user: User) -> Round:
    """The episode that somebody can use a token of a contestant's for now. Raises Refusal
    ``token.not-yours``, and as `episode_for_tokens` does, ``ledger.out``,
    ``token.used``, ``ledger.short``, ``ledger.offered`` (to be wagered) and
    ``token.nobody-left``."""
    own = contestant.user_id == acting_user.pk
    if not own:
        must_enter_for_others(season, acting_user)
    played = episode_for_tokens(season)
    if contestant.status != ContestantStatus.ACTIVE:
        raise Refusal("ledger.out", f"{contestant.shown_name} is out of the season.")
    if contestant.since_round > played.number:
        raise Refusal("ledger.out", f"{contestant.shown_name} does not play in {played.name}.")
    immune = immune_by_token(played)
    if contestant.pk in immune:
        raise Refusal("token.used", f"{contestant.shown_name} is immune in {played.name} already.")
    if balance_of(contestant, Unit.TOKEN) < 1:
        raise Refusal("ledger.short", f"{contestant.shown_name} has no immunity token.")
    offered = offered_by(contestant) if trade_of(season).wagers == Unit.TOKEN else 0
    if balance_of(contestant, Unit.TOKEN) - offered < 1:
        raise Refusal(
            "ledger.offered",
            f"{contestant.shown_name} offers to wager it: that is to be taken back first, on the "
            "death match's page.",
        )
    in_it = season.contestants.in_round(played.number)
    if in_it.exclude(pk__in=immune | {contestant.pk}).count() < EXPOSED_LEAST:
        raise Refusal(
            "token.nobody-left",
            f"So many are immune in {played.name} that nobody would be left to play the death "
            "match: the token stays where it is.",
        )
    return played


def must_enter_for_others(season: Season, acting_user: User) -> None:
    """Whether somebody can enter whose token is used: nobody who plays uses up another's, and
    where purses are hidden, whether it works tells who has one. Raises Refusal
    ``token.not-yours``."""
    sees = audience.sees_whole_ledger(season, acting_user)
    # Once it is over everybody sees it.
    if not sees or (is_over(season) and not audience.may_manage(season, acting_user)):
        raise Forbidden(
            "token.not-yours", "Its holder uses a token, or an organiser who does not play."
        )


def episode_for_tokens(season: Season) -> Round:
    """The episode whose main match is on. Raises Refusal ``season.archived``, ``ledger.none``,
    ``season.not-running``, ``ledger.unit`` and ``token.too-late``."""
    must_not_be_archived(season)
    trade = must_trade(season)
    must_be_running(season)
    if not trade.tokens:
        raise Refusal("ledger.unit", "This season has no immunity tokens.")
    episode = (
        Episode.objects.filter(round__season=season, status=EpisodeStatus.MAIN_MATCH)
        .select_related("round")
        .first()
    )
    if episode is None:
        raise Refusal(
            "token.too-late",
            "A token is used while an episode's main match is on, before it is recorded.",
        )
    return episode.round
