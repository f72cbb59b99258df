"""Pairs of players whose results look farmed: looked for by workers, told to the moderators, and
made to count for nobody in one go, which can be taken back. `winners` looks at several together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple, cast

from django.db import transaction
from django.db.models import Max, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from accounts.announcing.services import Told, announce
from accounts.leaving.names import Names, texts_changed
from accounts.leaving.parts import Leaver
from accounts.models import Report, User
from accounts.moderation.reports import report_of_site, settled_evidence
from accounts.moderation.ways import WEAK, shared_ways
from accounts.names.validators import FORMER_NAME
from accounts.roles import is_moderator
from accounts.services import audit_record
from core.clock import instant_of, now_utc
from core.jobs import guard
from core.queueing import enqueue
from core.refusals import Forbidden, NotFound, Refusal
from core.text import one_line
from games.announcements import RATING_RULED
from games.engine.reasons import CONCESSION, TIMEOUT
from games.jobs import RATE
from games.models import Match, MatchEntry, MatchPlayer
from games.ratings.course import TOO_SHORT
from games.ratings.models import PairRuling, RatingRuling, WaitingRuling
from games.ratings.rating import PAIR_WINDOW
from games.ratings.results import counted
from games.ratings.services import WHY_MAX, match_request
from games.ratings.suspicions import Finding, PairMatch, findings, over_time
from games.words import game_name

PAIR: Final = "games.pair"
LOOKED: Final = "ratings.pairs"


# -- pairs ---------------------------------------------------------------------------------------


def pair_key(one: int, other: int) -> str:
    """By what a report names a pair of accounts."""
    return f"{min(one, other)}-{max(one, other)}"


def pair_of(key: str) -> tuple[int, int] | None:
    """The accounts of such a name, by their ids; None for what is none."""
    one, _, other = key.partition("-")
    if not (one.isascii() and one.isdigit() and other.isascii() and other.isdigit()):
        return None
    return (int(one), int(other)) if len(key) < 40 else None


class Period(NamedTuple):
    """A time whose matches are looked at: from its first instant on, and before its second."""

    since: datetime
    until: datetime


def ended_in(period: Period | None, *, also: Collection[int] = ()) -> Q:
    """Of matches: that they ended then, or of late (`PAIR_WINDOW`); or that they are of ``also``,
    by their numbers."""
    if period is not None:
        return Q(finished_at__gte=period.since, finished_at__lt=period.until)
    late = Q(finished_at__gte=now_utc() - PAIR_WINDOW)
    return late | Q(pk__in=also) if also else late


def of_pair(
    one: int, other: int, *, period: Period | None = None, also: Collection[int] = ()
) -> QuerySet[Match]:
    """The matches of two players against each other that are over, as `ended_in` chooses them."""
    return (
        Match.objects.finished()
        .filter(ended_in(period, also=also))
        .filter(pk__in=MatchPlayer.objects.filter(user=one).values("match"))
        .filter(pk__in=MatchPlayer.objects.filter(user=other).values("match"))
        .order_by("finished_at", "pk")
    )


def of_pair_to_rule_on(one: int, other: int, report: Report | None = None) -> QuerySet[Match]:
    """The matches of two players that may be ruled on, since their results count: those of late,
    and, however long ago, those that the report tells of which led there."""
    told = () if report is None else evidence_of(report)
    found: QuerySet[Match] = counted(of_pair(one, other, also=told))
    return found


def evidence_of(report: Report) -> list[int]:
    """The matches that a report of the site tells of, by their numbers."""
    return [each for each in report.context.get("evidence", ()) if isinstance(each, int)]


# -- looking -------------------------------------------------------------------------------------


def match_look(*, match_id: int) -> Report | None:
    """Look at the pair of a match that is over; the report of it, if there is more to tell than
    before."""
    users = list(
        MatchPlayer.objects.filter(
            match=match_id, match__status=Match.Status.FINISHED, match__bot_seats=0
        ).values_list("user", flat=True)
    )
    if len(users) != 2 or None in users:
        return None
    one, other = sorted(user for user in users if user is not None)
    return pair_look(one, other)


def ended_or_ruled(since: timedelta) -> QuerySet[Match]:
    """The matches between people that have ended of late, and those on which somebody has ruled of
    late, however long ago they ended: their results are others now."""
    late = now_utc() - since
    ruled = RatingRuling.objects.filter(at__gte=late).values("match")
    over = Match.objects.finished().between_people()
    return over.filter(Q(finished_at__gte=late) | Q(pk__in=ruled))


def pairs_sweep(*, since: timedelta) -> None:
    """Look at every pair whose matches have ended of late or were ruled on, each on its own."""
    ended = ended_or_ruled(since)
    pairs: dict[int, list[int]] = {}
    seats = MatchPlayer.objects.filter(match__in=ended, user__isnull=False)
    for match_id, user in seats.values_list("match", "user"):
        pairs.setdefault(match_id, []).append(user)
    keys = {pair_key(*users) for users in pairs.values() if len(users) == 2}

    def look(key: str) -> bool:
        pair = pair_of(key)
        return pair is not None and pair_look(*pair) is not None

    guard.each(LOOKED, sorted(keys), look, target=PAIR)


@transaction.atomic
def pair_look(one: int, other: int, *, period: Period | None = None) -> Report | None:
    """Tell the moderators of two players whose results look farmed, those of late or of a period:
    by one report, which is brought up to date while it is open. What one that is closed was about
    is not looked at again. None where there is nothing new to tell."""
    people = User.objects.in_bulk([one, other])
    if len(people) != 2:
        return None
    if any(each.is_former for each in people.values()):
        return None  # who has left gains nothing, and none of it is to be traced to them
    settled = settled_evidence(PAIR, pair_key(one, other))
    theirs = latest(looked_at(of_pair(one, other, period=period)), period)
    rows = {match.pk: match for match in theirs if match.pk not in settled}
    matches = played(rows)
    ways = shared_ways(one, other)
    look = partial(findings, shared=[way.kind for way in ways], weak=WEAK)
    found = look(matches) if period is None else over_time(matches, look, within=PAIR_WINDOW)
    if not found:
        return None
    facts = [
        ["Players", " and ".join(f"{each.shown_name} (@{each.username})" for each in _two(people))],
        *[["Found", each.words] for each in found],
        *[["Shared way in", way.words] for way in ways],
    ]
    if not ways:
        facts.append(["Shared way in", "none known"])
    shown = _evidence(found)
    lines = [line(rows[each.match_id], each, people) for each in matches if each.match_id in shown]
    first, second = _two(people)
    return report_of_site(
        target_type=PAIR,
        target_id=pair_key(one, other),
        title=f"matches of @{first.username} and @{second.username}",
        url=_matches_address(first, second),
        reason=Report.Reason.CHEATING,
        words=" ".join(each.words for each in found),
        context={
            "facts": facts,
            "lines": lines,
            "evidence": sorted(shown),
            "people": sorted(people),
        },
    )


def _two(people: dict[int, User]) -> list[User]:
    return [people[pk] for pk in sorted(people)]


def _evidence(found: Iterable[Finding]) -> set[int]:
    return {match_id for each in found for match_id in each.matches}


def looked_at(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Those of ``matches`` that count, and those that would but for their length: as they count
    now, which organisers may have ruled. Each has `seat_won`."""
    found = matches.annotate(seat_won=Coalesce("rating_ruling__winner", "winner")).filter(
        Q(unrated="") | Q(unrated__startswith=TOO_SHORT),
        Q(rating_ruling__isnull=True) | Q(rating_ruling__winner__isnull=False),
        source=Match.Source.PLAYED,
        seat_won__isnull=False,
        bot_seats=0,
    )
    found = found.defer("snapshot").select_related("rating_ruling")
    return found.prefetch_related("players__user")


# Programs can play each other at will and without end; of late, this many of their matches.
LOOKED_AT_MOST: Final = 400


def latest(matches: QuerySet[Match], period: Period | None) -> list[Match]:
    """``matches`` in the order of their ends; of those of late, no more than the latest."""
    if period is not None:
        return list(matches)
    return list(matches.order_by("-finished_at", "-pk")[:LOOKED_AT_MOST])[::-1]


class _Course(NamedTuple):
    """When the first thing happened in a match; and of each seat when it last did something
    itself, and when its time last ran out, in ms since 1970."""

    began: int
    acted: dict[str, int]
    silent: dict[str, int]


def played(rows: Mapping[int, Match]) -> list[PairMatch]:
    """What is looked at of matches, by their numbers. Each began when the first thing happened in
    it: it may have waited for its players before."""
    entries = MatchEntry.objects.filter(match__in=rows).values_list("match", "actor")
    times = entries.annotate(
        Min("at"),
        acted=Max("at", filter=Q(timeout=False)),
        silent=Max("at", filter=Q(timeout=True)),
    )
    courses: dict[int, _Course] = {}
    for pk, actor, began, acted, silent in times.order_by():
        known = courses.get(pk, _Course(began, {}, {}))
        courses[pk] = known._replace(began=min(began, known.began))
        if acted is not None:
            known.acted[actor] = acted
        if silent is not None:
            known.silent[actor] = silent
    return [_played(match, courses.get(pk)) for pk, match in rows.items()]


def _played(match: Match, course: _Course | None) -> PairMatch:
    seats = [player.user for player in match.players.all()]
    winner: int = cast("Any", match).seat_won
    won, lost = seats[winner], seats[1 - winner]
    by_bot = won is not None and won.is_bot
    began = match.created_at if course is None else instant_of(course.began)
    ended = match.finished_at or match.created_at
    return PairMatch(
        match_id=match.pk,
        began=began,
        ended=ended,
        winner=0 if won is None else won.pk,
        loser=0 if lost is None else lost.pk,
        given_at=_given_at(match, course, str(1 - winner), began, ended),
        counts=not match.unrated,
        by_bot=by_bot,
        of_bots=by_bot and lost is not None and lost.is_bot,
    )


def _given_at(
    match: Match, course: _Course | None, loser: str, began: datetime, ended: datetime
) -> datetime | None:
    """When whoever has lost gave the match away: by conceding, by the last that they did before
    they said nothing any more, or where a ruling gave it to the other one. Somebody who never
    came into a match that is too short to count has given nothing."""
    if hasattr(match, "rating_ruling") or match.reason == CONCESSION.id:
        return ended
    acted = silent = None
    if course is not None:
        acted, silent = course.acted.get(loser), course.silent.get(loser)
    silenced = match.reason == TIMEOUT.id or (silent is not None and silent > (acted or 0))
    if not silenced or match.unrated:
        return None
    return began if acted is None else instant_of(acted)


def line(match: Match, played: PairMatch, people: Mapping[int, User]) -> dict[str, Any]:
    """A match as a report lists it."""
    seconds = round(played.lasted.total_seconds())
    lasted = f"{seconds} s" if seconds < 600 else f"{seconds // 60} min"
    won = "by concession" if match.reason == CONCESSION.id else f"({match.reason})"
    if hasattr(match, "rating_ruling"):
        won = f"by a ruling ({match.reason} as it was played)"
    short = ", too short to count" if match.unrated else ""
    silent = ""
    if played.given_at is not None and played.given_at < played.ended:
        did = round((played.given_at - played.began).total_seconds())
        silent = f", the other one having done nothing after the first {did} s"
    return {
        "who": f"Match {match.pk}",
        "text": (
            f"{game_name(match.ruleset, match.variant)}: @{people[played.winner].username} won "
            f"{won} after {lasted}{silent}{short}, on {played.ended:%d %B %Y}"
        ),
        "at": played.ended.isoformat(timespec="seconds"),
        "quoted": played.is_given_at_once,
    }


def _matches_address(first: User, second: User) -> str:
    return f"/u/{first.username}/matches/?opponent={second.username}"


# -- what becomes of it when one of them is deleted ----------------------------------------------


def pairs_erase(leaver: Leaver) -> None:
    """Take somebody's names out of what the site itself has reported of their results: what was
    found stays, and leads to the former player."""
    names_erase(Report.objects.filter(withheld_pairs(leaver.user), target_type=PAIR), leaver)


def names_erase(reports: QuerySet[Report], leaver: Leaver) -> None:
    """Take somebody's names out of reports of the site."""
    for report in reports.filter(reporter=None):
        context = {
            **report.context,
            "facts": [
                [label, _without(leaver.names, text)]
                for label, text in report.context.get("facts", ())
            ],
            "lines": texts_changed(
                report.context.get("lines", []), ("text",), partial(_without, leaver.names)
            ),
        }
        Report.objects.filter(pk=report.pk).update(
            title=_without(leaver.names, report.title)[:200],
            url=_without(leaver.names, report.url)[:200],
            context=context,
        )


def _without(names: Names, text: str) -> str:
    for shown in sorted({*names.all, names.username}, key=len, reverse=True):
        text = text.replace(f"{shown} (@{names.username})", f"{FORMER_NAME} (@{names.username})")
    whole = rf"(@|/u/|opponent=){re.escape(names.username)}(?![\w-])"
    return re.sub(whole, lambda found: found[1] + names.becomes, text)


# -- ruling --------------------------------------------------------------------------------------


def must_rule_on_pairs(acting_user: User) -> None:
    """Whether somebody may rule on pairs at all. Raises Refusal ``rating.not-moderator``."""
    if not is_moderator(acting_user):
        raise Forbidden("rating.not-moderator", "Only moderators rule on pairs of players.")


def must_rule_on(acting_user: User, one: int, other: int) -> None:
    """Raises Refusal as `must_rule_on_pairs` does, and ``rating.own-pair``: nobody judges in their
    own matter."""
    must_rule_on_pairs(acting_user)
    if acting_user.pk in (one, other):
        raise Forbidden("rating.own-pair", "You are one of the two. Leave it to the others.")


@transaction.atomic
def pair_unrate(
    *,
    acting_user: User,
    first: User,
    second: User,
    why: str,
    matches: Collection[int] | None = None,
    report: Report | None = None,
) -> PairRuling:
    """Have the matches of two players count for nobody: all that `of_pair_to_rule_on` knows, or
    those of ``matches``. Both are told, with the reason, which everybody can read. Ratings follow
    after commit, once.

    Raises Refusal as `must_rule_on` does, ``rating.one-player``, ``rating.why-missing``,
    ``rating.why-too-long``, ``rating.not-of-pair`` (a match that is not one of theirs that counts)
    and ``rating.no-matches`` (there is none).
    """
    must_rule_on(acting_user, first.pk, second.pk)
    if first.pk == second.pk:
        raise Refusal("rating.one-player", "Please name two players.", field="second")
    said = reason_of(why)
    counting = counting_locked(of_pair_to_rule_on(first.pk, second.pk, report))
    chosen = sorted(counting if not matches else set(matches))
    if not set(chosen) <= counting:
        sentence = "Only matches of these two that count just now can be chosen."
        raise Refusal("rating.not-of-pair", sentence, field="matches")
    if not chosen:
        sentence = "No match of these two of the last thirty days counts for ratings."
        raise Refusal("rating.no-matches", sentence)
    ruling = unrate(acting_user, (first, second), chosen, said, at=now_utc(), report=report)
    follow({ruling: chosen}, "count for no rating")
    return ruling


def counting_locked(matches: QuerySet[Match]) -> set[int]:
    """Which of ``matches`` count, by their numbers; locked, in one order, so that two who rule at
    once wait for each other and do not collide."""
    locked = list(
        Match.objects.select_for_update(no_key=True)
        .filter(pk__in=matches.values("pk"))
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    # One that somebody else has ruled on while it was waited for counts no more.
    return set(counted(Match.objects.filter(pk__in=locked)).values_list("pk", flat=True))


def unrate(
    by: User,
    pair: tuple[User, User],
    chosen: Sequence[int],
    why: str,
    *,
    at: datetime,
    report: Report | None,
) -> PairRuling:
    """Put down that these matches of a pair, which are locked and count, count for nobody."""
    # What organisers have ruled on some of them waits until this is taken back.
    own = RatingRuling.objects.filter(match__in=chosen)
    WaitingRuling.objects.bulk_create(
        WaitingRuling(match_id=each.match_id, **_own_words(each)) for each in own
    )
    own.delete()
    first, second = pair
    ruling = PairRuling.objects.create(
        first=first, second=second, why=why, by=by, at=at, report=report, matches=list(chosen)
    )
    RatingRuling.objects.bulk_create(
        [
            RatingRuling(match_id=pk, winner=None, why=why, by=by, at=at, pair=ruling)
            for pk in chosen
        ]
    )
    audit_record(
        acting_user=by,
        action="rating.exclude-pair",
        target=ruling,
        data={"players": [first.pk, second.pk], "matches": list(chosen), "why": why},
    )
    return ruling


def must_be_liftable(acting_user: User, ruling: PairRuling) -> None:
    """Raises Refusal as `must_rule_on` does, and ``rating.lifted``."""
    must_rule_on(acting_user, ruling.first_id, ruling.second_id)
    if ruling.lifted_at is not None:
        raise Refusal("rating.lifted", "This ruling was taken back before.")


@transaction.atomic
def pair_rate_again(*, acting_user: User, ruling: PairRuling, why: str) -> PairRuling:
    """Take back that matches of a pair count for nobody; what organisers have ruled on one of
    them, before or since, holds then. Both are told.

    Raises Refusal as `must_be_liftable` does, ``pair-ruling.none``, ``rating.why-missing`` and
    ``rating.why-too-long``.
    """
    (locked,) = rate_again(acting_user, [ruling.pk], why)
    return locked


def rate_again(acting_user: User, rulings: Collection[int], why: str) -> list[PairRuling]:
    """Take back rulings on pairs, all in one go, in a transaction of the caller's. As
    `pair_rate_again`."""
    found = PairRuling.objects.select_for_update(no_key=True).filter(pk__in=rulings)
    locked = list(found.order_by("pk"))
    if not locked:
        raise NotFound("pair-ruling.none", "There is no such ruling.")
    for ruling in locked:
        must_be_liftable(acting_user, ruling)
    said = reason_of(why)
    at = now_utc()
    of_pairs = RatingRuling.objects.filter(pair__in=locked)
    # In the order of `pair_unrate`. Whoever rules on one of the matches has put it down by then.
    list(
        Match.objects.select_for_update(no_key=True)
        .filter(pk__in=of_pairs.values("match"))
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    back: dict[PairRuling, list[int]] = {
        ruling: sorted(of_pairs.filter(pair=ruling).values_list("match", flat=True))
        for ruling in locked
    }
    of_pairs.delete()
    waiting = WaitingRuling.objects.filter(match__in=[pk for each in back.values() for pk in each])
    RatingRuling.objects.bulk_create(
        RatingRuling(match_id=each.match_id, **_own_words(each)) for each in waiting
    )
    waiting.delete()
    for ruling in locked:
        ruling.lifted_why, ruling.lifted_by, ruling.lifted_at = said, acting_user, at
        ruling.save(update_fields=["lifted_why", "lifted_by", "lifted_at"])
        audit_record(
            acting_user=acting_user,
            action="rating.include-pair",
            target=ruling,
            data={
                "players": [ruling.first_id, ruling.second_id],
                "matches": back[ruling],
                "why": said,
            },
        )
    follow(back, "count for ratings again")
    return locked


def _own_words(ruling: RatingRuling | WaitingRuling) -> dict[str, Any]:
    """What an organiser's ruling says, wherever it is kept."""
    return {"winner": ruling.winner, "why": ruling.why, "by_id": ruling.by_id, "at": ruling.at}


def reason_of(why: str) -> str:
    """A reason as it is kept. Raises Refusal ``rating.why-missing``, ``rating.why-too-long``."""
    said = one_line(why)
    if not said:
        sentence = "Please give a reason; everybody can read it."
        raise Refusal("rating.why-missing", sentence, field="why")
    if len(said) > WHY_MAX:
        sentence = f"A reason has at most {WHY_MAX} characters."
        raise Refusal("rating.why-too-long", sentence, field="why")
    return said


def follow(rulings: Mapping[PairRuling, Sequence[int]], what: str) -> None:
    """Have the ladders compared with the results once, and tell everybody concerned once, of all
    that was ruled in one go on matches of theirs."""
    for matches in rulings.values():
        for match_id in matches:
            match_request(match_id)
    transaction.on_commit(partial(enqueue, RATE), robust=True)
    concerned: dict[User, list[PairRuling]] = {}
    for ruling in rulings:
        for user in (ruling.first, ruling.second):
            if not user.is_former:
                concerned.setdefault(user, []).append(ruling)
    announce(
        _told(user, {each: len(rulings[each]) for each in theirs}, what)
        for user, theirs in sorted(concerned.items(), key=lambda item: item[0].pk)
    )


def _told(user: User, theirs: Mapping[PairRuling, int], what: str) -> Told:
    """What somebody is told of rulings: all of one reason, and of as many matches."""
    one, *more = theirs
    number = sum(theirs.values())
    shown = "1 match" if number == 1 else f"{number} matches"
    other = one.second if one.first == user else one.first
    whom = f"{len(theirs)} players" if more else other.shown_name
    return Told(
        user=user,
        kind=RATING_RULED.key,
        key=f"pair-ruling:{one.pk}:{'lifted' if one.lifted_at else 'made'}",
        subject=f"{shown} of yours {_verb(what, number)}",
        words=(
            f"The moderators have decided that {shown} of yours with {whom} "
            f"{_verb(what, number)}. Their reason: {one.lifted_why or one.why}"
        ),
        path=f"/u/{user.username}/matches/" if more else _matches_address(user, other),
    )


def _verb(what: str, number: int) -> str:
    return what.replace("count", "counts", 1) if number == 1 else what


def withheld_pairs(moderator: User) -> Q:
    """Which reports of pairs a moderator must not see: those of their own."""
    return pairs_with(moderator.pk)


def pairs_with(user_id: int) -> Q:
    """Which reports of pairs are of somebody's."""
    return Q(target_id__startswith=f"{user_id}-") | Q(target_id__endswith=f"-{user_id}")
