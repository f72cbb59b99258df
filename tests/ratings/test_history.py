"""What was farmed in a time that is past: found once, whoever stops and starts the command."""

from __future__ import annotations

import io
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Report, User
from accounts.moderation.reports import remedies_of, report_resolve
from accounts.moderation.ways import ways_note
from core.clock import now_utc
from core.jobs.models import SetAside
from games.models import Match, PairRuling
from games.ratings import history
from games.ratings.history import LOOKED_BACK_AT_PAIRS, players_look_back
from games.ratings.models import OVERALL, RatingPoint
from games.ratings.pairs import PAIR, Period, pair_key, pair_look, pairs_sweep
from games.ratings.rating import PAIR_WINDOW
from games.ratings.services import ratings_rebuild, ratings_take_in
from games.ratings.suspicions import Finding, PairMatch, over_time
from games.ratings.winners import WINNER, winners_sweep
from tests.games.support import committing, user_named
from tests.ratings.support import DAY_0, friendly, is_true

pytestmark = pytest.mark.django_db


def quick(winner: User, loser: User, *, days: float, times: int = 3) -> list[Match]:
    """Concessions as soon as the matches had begun, so many days ago."""
    return [
        friendly(
            winner, loser, ago=timedelta(days=days, minutes=-number), lasted=0.2,
            reason="concession",
        )
        for number in range(times)
    ]  # fmt: skip


def numbers(*parts: list[Match]) -> list[int]:
    return sorted(match.pk for part in parts for match in part)


def farmed(*, days: int = 400, **more: Any) -> str:
    """Run the command over so many days, and return what it says."""
    out = io.StringIO()
    since = now_utc().date() - timedelta(days=days)
    call_command("farmed", since=since, stdout=out, **more)
    return out.getvalue()


def test_what_was_farmed_before_anybody_looked_is_reported_once(
    ada: User, ben: User, cleo: User
) -> None:
    spring = quick(ada, ben, days=200, times=15)
    summer = quick(ada, ben, days=100, times=4)
    for days in range(40, 80):  # honest ones
        friendly(ada, cleo, ago=timedelta(days=days))
    pairs_sweep(since=timedelta(days=2))
    winners_sweep(since=timedelta(days=2))
    assert not Report.objects.exists()
    assert "3 players looked at: 1 reports" in farmed()
    (report,) = Report.objects.all()
    assert (report.target_type, report.target_id) == (PAIR, pair_key(ada.pk, ben.pk))
    assert report.context["evidence"] == numbers(spring, summer)
    found = [text for label, text in report.context["facts"] if label == "Found"]
    assert len([words for words in found if "15 matches were given away" in words]) == 1
    assert len([words for words in found if "4 matches were given away" in words]) == 1
    assert f"{spring[0].finished_at:%B %Y}: 15" in " ".join(found)
    before = (report.context, report.words, AuditEntry.objects.count())
    assert "0 reports" in farmed()
    report.refresh_from_db()
    assert (report.context, report.words, AuditEntry.objects.count()) == before


def test_it_goes_on_where_it_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_PLAYERS_AT_ONCE", 2)
    pairs = [(user_named(f"one{number}"), user_named(f"two{number}")) for number in range(4)]
    for pair in pairs:
        quick(*pair, days=90)
    period = Period(now_utc() - timedelta(days=365), now_utc())
    looking = players_look_back(period)
    first = [next(looking) for _time in range(3)]
    assert Report.objects.count() == 2
    rest = list(players_look_back(period, after=first[-1].user_id))
    everybody = sorted(user.pk for pair in pairs for user in pair)
    assert [each.user_id for each in [*first, *rest]] == everybody
    assert Report.objects.count() == 4
    assert sum(each.reports for each in players_look_back(period)) == 0


def test_an_open_report_keeps_what_it_has_told(ada: User, ben: User, mona: User) -> None:
    old = quick(ada, ben, days=120)
    farmed()
    report = Report.objects.get()
    new = quick(ada, ben, days=0.1, times=4)
    assert pair_look(ada.pk, ben.pk) == report
    report.refresh_from_db()
    assert report.context["evidence"] == numbers(old, new)
    assert len(report.context["lines"]) == 7
    labels = [label for label, _text in report.context["facts"]]
    assert {"Found", "Found before"} <= set(labels)
    assert "0 reports" in farmed()
    report_resolve(acting_user=mona, report=report, outcome="no-breach")
    assert "0 reports" in farmed()
    assert pair_look(ada.pk, ben.pk) is None
    assert Report.objects.count() == 1


def test_winners_of_the_past_are_reported_too(ada: User) -> None:
    losers = [user_named(f"second{number}") for number in range(4)]
    for loser in losers:
        ways_note(user_id=loser.pk, ways=[("address", "203.0.113.5")], on=timezone.now().date())
        quick(ada, loser, days=150, times=1)
    farmed()
    (report,) = Report.objects.all()
    assert (report.target_type, report.target_id) == (WINNER, str(ada.pk))
    assert set(report.context["people"]) == {ada.pk, *(loser.pk for loser in losers)}
    assert "0 reports" in farmed()


def test_only_the_time_that_was_named_is_looked_at(ada: User, ben: User) -> None:
    quick(ada, ben, days=120)
    assert "0 players" in farmed(days=100)
    assert "0 players" in farmed(until=now_utc().date() - timedelta(days=130))
    with pytest.raises(CommandError, match="first day"):
        farmed(days=1, until=date(2020, 1, 1))
    assert not Report.objects.exists()


def test_what_cannot_be_looked_at_stops_nothing_else(
    ada: User, ben: User, cleo: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(ada, ben, days=120)
    quick(ada, cleo, days=120)

    def look(one: int, other: int, **more: Any) -> Report | None:
        if other == ben.pk:
            raise ValueError("a test")
        return pair_look(one, other, **more)

    with monkeypatch.context() as patched:
        patched.setattr(history, "pair_look", look)
        with pytest.raises(CommandError, match="1 pairs or winners"):
            farmed()
    assert Report.objects.get().target_id == pair_key(ada.pk, cleo.pk)
    SetAside.objects.filter(job=LOOKED_BACK_AT_PAIRS).update(next_at=now_utc())
    farmed()
    assert Report.objects.count() == 2


def test_what_it_reports_can_be_taken_out_in_one_go_however_long_ago(
    ada: User, ben: User, mona: User
) -> None:
    told = quick(ada, ben, days=120)
    untold = friendly(ada, ben, ago=timedelta(days=90))
    recent = friendly(ada, ben, ago=timedelta(days=5))
    ratings_rebuild()
    farmed()
    report = Report.objects.get()
    client = Client()
    client.force_login(mona)
    address = remedies_of(report)[-1][1]
    page = client.get(address).content.decode()
    assert all(f"{match.pk}: " in page for match in [*told, recent])
    assert f"{untold.pk}: " not in page
    with committing():
        given = {"first": "ada", "second": "ben", "why": "Farmed."}
        assert client.post(address, given).status_code == 302
    assert PairRuling.objects.get().matches == numbers(told, [recent])
    ratings_take_in()
    is_true(OVERALL)
    assert {point.match_id for point in RatingPoint.objects.all()} == {untold.pk}


# -- the arithmetic ------------------------------------------------------------------------------


def played(number: int, *, day: float) -> PairMatch:
    ended = DAY_0 + timedelta(days=day)
    return PairMatch(number, ended - timedelta(minutes=1), ended, 1, 2, given_at=ended)


def all_of(matches: Any) -> list[Finding]:
    """Whatever there is, if there are three."""
    found = tuple(each.match_id for each in matches)
    return [Finding("many", f"{len(found)} matches.", found)] if len(found) >= 3 else []


@pytest.mark.parametrize(
    ("days", "found"),
    [
        ([0, 20, 40, 60], []),
        ([0, 1, 2], [(1, 2, 3)]),
        ([0, 29.9, 30.1, 59], [(2, 3, 4)]),
        ([0, 10, 20, 30, 45, 200, 201, 202], [(1, 2, 3, 4, 5), (6, 7, 8)]),
        ([0] * 5, [(1, 2, 3, 4, 5)]),
    ],
)
def test_no_more_is_looked_at_together_than_workers_would(
    days: list[float], found: list[tuple[int, ...]]
) -> None:
    matches = [played(number, day=day) for number, day in enumerate(days, 1)]
    told = over_time(matches, all_of, within=PAIR_WINDOW)
    assert [each.matches for each in told] == found
