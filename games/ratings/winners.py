"""Players who have won against several accounts that look like one person's, or that have given
their matches away: each pair of them may have met too seldom to be told of, and all of them
together make a rating. Looked for by workers,
told to the moderators as one report for the winner; ruled on pair by pair (`pairs`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import timedelta
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts.leaving.parts import Leaver
from accounts.models import Report, User, WayIn
from accounts.moderation.reports import report_of_site, settled_evidence
from accounts.moderation.ways import WEAK, ways_among
from core.jobs import guard
from games.models import Match, MatchPlayer
from games.ratings.models import OVERALL, Rating
from games.ratings.pairs import (
    PAIR,
    Period,
    ended_in,
    ended_or_ruled,
    latest,
    line,
    looked_at,
    names_erase,
    pair_key,
    played,
)
from games.ratings.rating import PAIR_WINDOW
from games.ratings.results import counted
from games.ratings.suspicions import (
    FEWEST,
    GIVEN_ACCOUNTS,
    GIVEN_AT_LEAST,
    ISOLATED_ACCOUNTS,
    Record,
    Shared,
    isolated,
    over_time,
    ring_findings,
)

WINNER: Final = "games.winner"
LOOKED: Final = "ratings.winners"


def winner_of_report(report: Report) -> int:
    """Whose wins a report is about; 0 where that is nobody."""
    name = report.target_id
    return int(name) if name.isascii() and name.isdigit() and len(name) < 19 else 0


def losers_of_report(report: Report) -> list[int]:
    """Against whom they were."""
    return [each for each in report.context.get("people", ()) if each != winner_of_report(report)]


def withheld_winners(moderator: User) -> Q:
    """Which reports of winners a moderator must not see: those that they are in."""
    return Q(target_id=str(moderator.pk)) | Q(context__people__contains=[moderator.pk])


def match_look_at_winner(*, match_id: int) -> Report | None:
    """Look at whoever has won a match that is over; the report of them, if there is more to tell
    than before."""
    winner = _winners(Match.objects.finished().between_people().filter(pk=match_id)).first()
    return None if winner is None else winner_look(winner)


def winners_sweep(*, since: timedelta) -> None:
    """Look at everybody who has won a match of late, or was given one by a ruling, each on their
    own."""
    guard.each(
        LOOKED,
        list(_winners(ended_or_ruled(since)).distinct()),
        lambda winner: winner is not None and winner_look(winner) is not None,
        target="accounts.user",
    )


def _winners(matches: QuerySet[Match]) -> QuerySet[MatchPlayer, int | None]:
    """By their ids, who has won ``matches``, as these count now."""
    won = _of_winners().filter(match__in=matches, user__isnull=False)
    return won.order_by("user").values_list("user", flat=True)


def _of_winners() -> QuerySet[MatchPlayer]:
    """The seats that count as the winners of their matches."""
    return MatchPlayer.objects.filter(
        Q(match__rating_ruling__isnull=True, seat=F("match__winner"))
        | Q(seat=F("match__rating_ruling__winner"))
    )


@transaction.atomic
def winner_look(user_id: int, *, period: Period | None = None) -> Report | None:
    """Tell the moderators of somebody whose wins over several accounts look farmed, those of late
    or of a period: by one report, which is brought up to date while it is open. What a closed one
    was about, of them or of a pair of theirs, is not looked at again. None where there is nothing
    new to tell."""
    winner = User.objects.filter(pk=user_id, deleted_at__isnull=True).first()
    if winner is None:
        return None
    wins = looked_at(_wins(user_id, period))
    beaten = User.objects.filter(pk__in=_losers(wins, user_id), deleted_at__isnull=True)
    people = {each.pk: each for each in (winner, *beaten)}
    if len(people) < 1 + FEWEST:
        return None
    # Most people share a way in with nobody they play, and are played by others: that is all that
    # is asked about them.
    counting = _losers(wins.filter(unrated=""), user_id)
    alone = accounts_alone(user_id, set(people).intersection(counting))
    shared = [Shared(*way) for way in ways_among(people)]
    few = len(people) <= GIVEN_ACCOUNTS or wins.count() < GIVEN_AT_LEAST
    if few and not shared and not alone:
        return None
    settled = settled_evidence(WINNER, str(user_id))
    settled |= settled_evidence(PAIR, *(pair_key(user_id, other) for other in people))
    rows = {match.pk: match for match in latest(wins, period) if match.pk not in settled}
    matches = [each for each in played(rows) if each.loser in people]
    look = partial(ring_findings, user_id, shared=shared, weak=WEAK, alone=alone)
    found = look(matches) if period is None else over_time(matches, look, within=PAIR_WINDOW)
    if not found:
        return None
    shown = {match_id for each in found for match_id in each.matches}
    told = [each for each in matches if each.match_id in shown]
    losers = sorted({each.loser for each in told})
    ways = _ways(shared, {user_id, *losers}, people)
    facts = [
        ["Winner", _named([winner])],
        ["Against", _named(people[pk] for pk in losers)],
        *[["Found", each.words] for each in found],
        *[["Shared way in", words] for words in ways or ["none known"]],
    ]
    return report_of_site(
        target_type=WINNER,
        target_id=str(user_id),
        title=f"wins of @{winner.username} against {len(losers)} accounts",
        url=f"/u/{winner.username}/matches/?result=won",
        reason=Report.Reason.CHEATING,
        words=" ".join(each.words for each in found),
        about=winner,
        context={
            "facts": facts,
            "lines": [line(rows[each.match_id], each, people) for each in told],
            "evidence": sorted(shown),
            "people": [user_id, *losers],
        },
    )


def _wins(user_id: int, period: Period | None) -> QuerySet[Match]:
    """What somebody has won."""
    found = Match.objects.finished().filter(ended_in(period))
    return found.filter(
        pk__in=_of_winners().filter(user=user_id).values("match"),
    ).order_by("finished_at", "pk")


def _losers(wins: QuerySet[Match], winner: int) -> QuerySet[MatchPlayer, int | None]:
    """By their ids, who has lost these."""
    seats = MatchPlayer.objects.filter(match__in=wins.order_by().values("pk"), user__isnull=False)
    return seats.exclude(user=winner).values_list("user", flat=True)


# Who has so many results is played with by others, or brings whoever they lose to nothing any more.
_KNOWN_AT_MOST: Final = 100


def accounts_alone(winner: int, losers: Collection[int]) -> frozenset[int]:
    """Of accounts that somebody has beaten, those that are there for them alone (`isolated`), by
    all that these have ever played."""
    if len(losers) < ISOLATED_ACCOUNTS:
        return frozenset()
    known = Rating.objects.filter(ladder=OVERALL, user__in=losers, games__gt=_KNOWN_AT_MOST)
    few = set(losers).difference(known.values_list("user", flat=True))
    records = {user: Record(Counter(), Counter(), Counter()) for user in few}
    mine = MatchPlayer.objects.filter(user__in=few).values("match")
    results = counted(Match.objects.filter(pk__in=mine)).order_by()
    for first, second, seat_won in results.values_list("user_0", "user_1", "seat_won"):
        for seat, user, other in ((0, first, second), (1, second, first)):
            if user in records:
                records[user].played[other] += 1
                records[user].won[other] += seat == seat_won
    # As if all that they have played among themselves had been given away: else it need not be
    # looked at, match by match.
    rough = isolated(
        winner, {user: each._replace(given=each.played) for user, each in records.items()}
    )
    if len(rough) < ISOLATED_ACCOUNTS:
        return frozenset()
    among = looked_at(Match.objects.finished().filter(pk__in=mine))
    inside = counted(among).filter(user_0__in=rough, user_1__in=rough)
    for each in played({match.pk: match for match in inside}):
        if each.is_given_early:
            records[each.winner].given[each.loser] += 1
            records[each.loser].given[each.winner] += 1
    return isolated(winner, {user: records[user] for user in rough})


def winners_erase(leaver: Leaver) -> None:
    """Take somebody's names out of what the site itself has reported of winners, as of pairs."""
    names_erase(Report.objects.filter(withheld_winners(leaver.user), target_type=WINNER), leaver)


def _named(people: Iterable[User]) -> str:
    return ", ".join(f"{each.shown_name} (@{each.username})" for each in people)


def _ways(shared: Iterable[Shared], told: set[int], people: dict[int, User]) -> list[str]:
    """Of each way that more than one of those told of comes in by, its kind, and who they are."""
    found = [(way.kind, sorted(way.accounts & told)) for way in shared]
    return [
        f"{WayIn.Kind(kind).label}: {', '.join(f'@{people[pk].username}' for pk in accounts)}"
        for kind, accounts in sorted(found)
        if len(accounts) > 1
    ]
