"""Having all that somebody has won against several accounts count for nobody in one go, with one
reason, and taking that back in one go: a ruling on each pair of them (`pairs`), all of one
instant."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import Report, User
from core.clock import now_utc
from core.refusals import NotFound, Refusal
from games.models import Match
from games.ratings.models import PairRuling
from games.ratings.pairs import (
    counting_locked,
    follow,
    must_rule_on,
    of_pair_to_rule_on,
    rate_again,
    reason_of,
    unrate,
)
from games.ratings.winners import losers_of_report, winner_of_report


def of_ring(report: Report) -> dict[User, int]:
    """Of the accounts that a report of a winner tells of: with how many of their matches against
    the winner count, and may be ruled on. Without those that have none."""
    winner = winner_of_report(report)
    losers = User.objects.filter(pk__in=losers_of_report(report)).order_by("username")
    found = {each: of_pair_to_rule_on(winner, each.pk, report).count() for each in losers}
    return {each: number for each, number in found.items() if number}


@transaction.atomic
def ring_unrate(
    *, acting_user: User, report: Report, why: str, accounts: Collection[int] = ()
) -> list[PairRuling]:
    """Have the matches of a reported winner with all the accounts that the report tells of, or with
    ``accounts``, count for nobody. Everybody is told once; ratings follow after commit, once.

    Raises Refusal as `pair_unrate` does, and ``rating.not-of-ring``: an account that the report
    does not tell of, or none of whose matches with the winner count.
    """
    winner = User.objects.filter(pk=winner_of_report(report)).first()
    if winner is None:
        raise NotFound("rating.no-winner", "This report is about no winner.")
    for loser in losers_of_report(report):
        must_rule_on(acting_user, winner.pk, loser)
    said = reason_of(why)
    ring = of_ring(report)
    chosen = [each for each in ring if not accounts or each.pk in accounts]
    if not set(accounts) <= {each.pk for each in chosen}:
        sentence = "Only accounts of this report whose matches count just now can be chosen."
        raise Refusal("rating.not-of-ring", sentence, field="chosen")
    theirs = {
        loser: set(of_pair_to_rule_on(winner.pk, loser.pk, report).values_list("pk", flat=True))
        for loser in chosen
    }
    # All of them before any ruling: whoever rules on one pair of them locks in the same order.
    counting = counting_locked(Match.objects.filter(pk__in=set().union(*theirs.values())))
    at = now_utc()
    made = {
        unrate(acting_user, (winner, loser), sorted(known), said, at=at, report=report): known
        for loser, matches in theirs.items()
        if (known := matches & counting)
    }
    if not made:
        sentence = "No match of these players that may be ruled on counts for ratings."
        raise Refusal("rating.no-matches", sentence)
    follow({ruling: sorted(known) for ruling, known in made.items()}, "count for no rating")
    return list(made)


def ruled_together(ruling: PairRuling) -> QuerySet[PairRuling]:
    """What was ruled in one go with a ruling, itself included, and still holds."""
    one = Q(pk=ruling.pk)
    if ruling.report_id is not None:
        one |= Q(report=ruling.report_id, at=ruling.at, by=ruling.by_id)
    return PairRuling.objects.filter(one, lifted_at__isnull=True).order_by("pk")


@transaction.atomic
def ring_rate_again(*, acting_user: User, ruling: PairRuling, why: str) -> list[PairRuling]:
    """Take back all that was ruled in one go with a ruling, and itself. Everybody is told once.

    Raises Refusal as `pair_rate_again` does; ``rating.lifted`` where nothing of it holds.
    """
    together = list(ruled_together(ruling).values_list("pk", flat=True))
    return rate_again(acting_user, together or [ruling.pk], why)
