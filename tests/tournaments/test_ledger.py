"""What a season trades in: who has what, who may enter what, and what follows from results."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Announcement, AuditEntry, User
from core.refusals import Refusal
from tests.games.support import user_named
from tests.pages.support import words
from tests.tournaments.support import (
    account,
    after,
    begun,
    chosen,
    enrolled,
    episode_now,
    fresh,
    placings,
    played,
    refused,
    running,
    who,
)
from tournaments.formats.elimination.choice import dmo_choose
from tournaments.formats.elimination.episodes import episode_open, episode_skip
from tournaments.formats.elimination.main_match import Placing, placements_record
from tournaments.invariants import faults_of
from tournaments.models import DeathMatch, LedgerEntry, Season, SeasonOrganiser, Unit, Wager
from tournaments.services.contestants.departures import (
    contestant_replace,
    contestant_return,
    contestant_withdraw,
)
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.ledger.acts import ledger_correct, ledger_give, ledger_grant
from tournaments.services.ledger.book import balance_of, offered_by, purses_of
from tournaments.services.ledger.immunity import immune_by_token, token_spend
from tournaments.services.ledger.stakes import wager_offer, wager_set
from tournaments.services.results.corrections import (
    death_match_correct,
    death_match_reopen,
    death_match_void,
)
from tournaments.services.results.rulings import death_match_declare, death_match_walkover
from tournaments.services.seasons import season_cancel, season_update
from tournaments.trade import trade_of

OPEN: dict[str, Any] = {"currency": True, "start": 3, "payments": "open"}
HIDDEN: dict[str, Any] = {**OPEN, "payments": "secret", "hidden": True}
TOKENS: dict[str, Any] = {**OPEN, "tokens": True, "tokens_given": True}


def trading(organiser: User, count: int = 4, kind: str = "elimination", **trade: Any) -> Season:
    return running(organiser, count, kind, trade={**OPEN, **trade})


def has(season: Season, number: int, unit: str = Unit.CURRENCY) -> int:
    return balance_of(who(season, number), unit)


def all_of(season: Season, count: int) -> list[int]:
    assert faults_of(season) == []
    return [has(season, number) for number in range(1, count + 1)]


# -- the setting ---------------------------------------------------------------------------------


def test_a_season_trades_in_nothing_by_default(orla: User) -> None:
    season = running(orla, 4)
    assert (season.trade, trade_of(season).is_on) == ({}, False)
    refused(
        "ledger.none", ledger_grant, acting_user=orla, season=season,
        contestants=[who(season, 1)], amount=1, why="won",
    )  # fmt: skip
    refused(
        "ledger.none", ledger_give, acting_user=account(season, 1), season=season,
        payee=who(season, 2), amount=1,
    )  # fmt: skip
    assert not LedgerEntry.objects.exists()


@pytest.mark.parametrize(
    ("code", "trade"),
    [
        ("trade.options", {"currency": "yes"}),
        ("trade.options", {"start": 1001}),
        ("trade.options", {"gold": 1}),
        ("trade.options", {"stake": 0}),
        ("trade.options", [1]),
        ("trade.name", {"currency": True, "singular": " "}),
        ("trade.name", {"currency": True, "plural": "p" * 21}),
        ("trade.secret", {"currency": True, "payments": "secret"}),
        ("trade.nothing", {"stakes": "all"}),
        ("trade.nothing", {"currency": True, "stake_token": True}),
        ("trade.nothing", {"currency": True, "stakes": "wager-tokens"}),
    ],
)
def test_what_cannot_be_traded(orla: User, code: str, trade: Any) -> None:
    season = enrolled(orla, 2)
    refused(code, season_update, acting_user=orla, season=season, changes={"trade": trade})


def test_what_was_promised_stays(orla: User) -> None:
    season = trading(orla)
    change: Callable[..., Any] = season_update
    for field, value in (("hidden", True), ("start", 4), ("currency", False)):
        changes = {"trade": {**season.trade, field: value}}
        refused("trade.begun", change, acting_user=orla, season=season, changes=changes)
    changes = {"trade": {**season.trade, "stakes": "all", "plural": "gems", "tokens": True}}
    season = season_update(acting_user=orla, season=season, changes=changes)
    assert trade_of(season).said(2, Unit.CURRENCY) == "2 gems"


def test_nobody_begins_with_more_than_those_who_were_there(orla: User) -> None:
    """A currency may come while a season is on: with nothing to begin with for whoever is late."""
    season = running(orla, 4)
    change: Callable[..., Any] = season_update
    with_start = {"trade": {"currency": True, "start": 3}}
    refused("trade.start", change, acting_user=orla, season=season, changes=with_start)
    season = change(acting_user=orla, season=season, changes={"trade": {"currency": True}})
    refused("trade.start", change, acting_user=orla, season=season, changes=with_start)
    late = contestant_enrol(
        acting_user=orla, season=season, user=user_named("late"), at=after(hours=1)
    )
    everybody = list(season.contestants.all())
    ledger_grant(acting_user=orla, season=season, contestants=everybody, amount=3, why="for all")
    assert [*all_of(season, 4), balance_of(late)] == [3, 3, 3, 3, 3]


def test_where_nothing_is_wagered_any_more_nothing_is_kept_for_it(orla: User) -> None:
    season = trading(orla, stakes="wager")
    row = chosen(orla, season, ec=1, dmo=2)
    wager_offer(acting_user=account(season, 2), death_match=row, amount=3)
    give: dict[str, Any] = {"acting_user": account(season, 2), "season": season, "amount": 3}
    refused("ledger.offered", ledger_give, payee=who(season, 3), **give)
    change: Callable[..., Any] = season_update
    season = change(
        acting_user=orla, season=season, changes={"trade": {**season.trade, "stakes": "none"}}
    )
    ledger_give(payee=who(season, 3), **give)
    change(acting_user=orla, season=season, changes={"trade": {**season.trade, "stakes": "wager"}})
    assert not Wager.objects.exists()


def test_what_is_wagered_is_the_winners_whatever_the_rule_is_by_now(orla: User) -> None:
    season = trading(orla, stakes="wager")
    row = chosen(orla, season, ec=1, dmo=2)
    wager_set(acting_user=orla, death_match=row, amount=2)
    changes = {"trade": {**season.trade, "stakes": "none"}}
    season_update(acting_user=orla, season=season, changes=changes)
    played(orla, fresh(row), winner=1, at=after(hours=1))
    assert all_of(season, 4) == [1, 5, 3, 3]


def test_where_purses_lapse_from_now_on_who_is_out_keeps_theirs(orla: User) -> None:
    season = trading(orla, 5)
    played(orla, chosen(orla, season, ec=1, dmo=2), winner=1)
    changes = {"trade": {**season.trade, "leaving": "lapses"}}
    season = season_update(acting_user=orla, season=season, changes=changes)
    row = chosen(orla, season, ec=3, dmo=4, at=after(hours=1))
    played(orla, row, winner=1, at=after(hours=2))
    assert all_of(season, 5) == [3, 3, 0, 3, 3]


def test_the_database_changes_and_deletes_no_entry(orla: User) -> None:
    season = trading(orla)
    entry = LedgerEntry.objects.filter(season=season)[:1].get()
    rows = LedgerEntry.objects.filter(pk=entry.pk)
    for change in (lambda: rows.update(amount=9), rows.delete):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()


# -- won -----------------------------------------------------------------------------------------


def test_everybody_begins_with_as_much_late_entries_too(orla: User) -> None:
    season = trading(orla, 3)
    late = contestant_enrol(
        acting_user=orla, season=season, user=user_named("late"), at=after(hours=1)
    )
    assert all_of(season, 3) == [3, 3, 3]
    assert balance_of(late) == 3
    assert set(LedgerEntry.objects.values_list("kind", flat=True)) == {"start"}
    assert not LedgerEntry.objects.exclude(payer=None).exists()


def test_organisers_enter_what_several_have_won(orla: User) -> None:
    season = trading(orla)
    two = [who(season, 1), who(season, 3)]
    give: dict[str, Any] = {"season": season, "amount": 5, "why": "the main match"}
    ledger_grant(
        acting_user=orla, contestants=two, round=season.rounds.get(), at=after(hours=1), **give
    )
    assert all_of(season, 4) == [8, 3, 8, 3]
    event = season.events.latest("pk")
    assert event.words == "Player 1 and Player 3 win 5 garnets each: the main match"
    assert (event.data["amount"], event.data["by"]) == (5, "Orla")
    told = Announcement.objects.filter(kind="contestant.purse")
    assert {each.user.username for each in told} == {"player1", "player3"}
    assert AuditEntry.objects.filter(action="ledger.grant").count() == 1
    for code, change in (
        ("ledger.nobody", {"contestants": []}),
        ("ledger.twice", {"contestants": [two[0], two[0]]}),
        ("ledger.amount", {"amount": 0}),
        ("ledger.amount", {"amount": 1_000_001}),
        ("ledger.amount", {"amount": True}),
        ("ledger.unit", {"unit": "token"}),
        ("ledger.unit", {"unit": "gold"}),
        ("why.missing", {"why": " "}),
    ):
        refused(code, ledger_grant, **{"acting_user": orla, "contestants": two, **give, **change})
    stranger = who(running(orla, 4), 1)
    refused("ledger.stranger", ledger_grant, acting_user=orla, contestants=[stranger], **give)
    for user in (account(season, 1), user_named("nobody")):
        refused("season.not-organiser", ledger_grant, acting_user=user, contestants=two, **give)


def test_nobody_enters_anything_for_themselves(orla: User, oscar: User) -> None:
    season = trading(orla, **TOKENS)
    contestant_enrol(acting_user=orla, season=season, user=oscar)
    SeasonOrganiser.objects.create(season=season, user=oscar)
    own = season.contestants.get(user=oscar)
    one = who(season, 1)
    grant: dict[str, Any] = {"season": season, "amount": 5, "why": "won"}
    refused("season.own", ledger_grant, acting_user=oscar, contestants=[one, own], **grant)
    (entry,) = ledger_grant(acting_user=orla, contestants=[own], **grant)
    refused("season.own", ledger_correct, acting_user=oscar, entry=entry, why="less")
    ledger_correct(acting_user=orla, entry=entry, why="less")
    assert faults_of(season) == []


def test_nobody_takes_back_what_comes_from_or_to_a_place_they_have_taken_over(
    orla: User, oscar: User
) -> None:
    season = trading(orla, **TOKENS)
    (entry,) = ledger_grant(
        acting_user=orla, season=season, contestants=[who(season, 1)], amount=5, why="won"
    )
    gift = ledger_give(
        acting_user=account(season, 1), season=season, payee=who(season, 2), amount=1
    )
    contestant_replace(
        acting_user=orla, contestant=who(season, 1), user=oscar, why="ill", at=after(hours=1)
    )
    SeasonOrganiser.objects.create(season=season, user=oscar)
    for each in (entry, gift):
        refused("season.own", ledger_correct, acting_user=oscar, entry=each, why="less")
        assert f"/{each.pk}/back/" not in desk_of(season, oscar)
        assert f"/{each.pk}/back/" in desk_of(season, orla)
    ledger_correct(acting_user=orla, entry=gift, why="less")


def desk_of(season: Season, user: User) -> str:
    return signed_in(user).get(f"/seasons/{season.slug}/desk/purses/").content.decode()


# -- given ---------------------------------------------------------------------------------------


def test_contestants_pay_each_other_what_they_have(orla: User) -> None:
    season = trading(orla)
    give: dict[str, Any] = {"acting_user": account(season, 1), "season": season}
    ledger_give(payee=who(season, 2), amount=2, note="for the vote", at=after(hours=1), **give)
    assert all_of(season, 4) == [1, 5, 3, 3]
    assert season.events.latest("pk").words == "Player 1 gives Player 2 2 garnets."
    told = Announcement.objects.get(kind="contestant.purse")
    assert told.user.username == "player2"
    assert told.words == "Autumn: Player 1 gives you 2 garnets: for the vote"
    for code, change in (
        ("ledger.short", {"amount": 2}),
        ("ledger.amount", {"amount": -1}),
        ("ledger.oneself", {"payee": who(season, 1)}),
        ("ledger.unit", {"unit": "token"}),
        ("ledger.no-secrets", {"secret": True}),
        ("ledger.note.too-long", {"note": "n" * 201}),
    ):
        refused(code, ledger_give, **{"payee": who(season, 3), "amount": 1, **give, **change})
    give["acting_user"] = orla
    refused("contestant.not-in", ledger_give, payee=who(season, 3), amount=1, **give)


def test_where_nothing_is_given_nobody_gives(orla: User) -> None:
    season = trading(orla, payments="none", tokens=True)
    give: dict[str, Any] = {"acting_user": account(season, 1), "season": season, "amount": 1}
    for unit in Unit.values:
        refused("ledger.no-gifts", ledger_give, payee=who(season, 2), unit=unit, **give)


def test_who_is_out_keeps_it_or_it_lapses(orla: User) -> None:
    for leaving, left in (("stays", 3), ("lapses", 0)):
        season = trading(orla, leaving=leaving)
        played(orla, chosen(orla, season, ec=1, dmo=2), winner=1)
        assert (who(season, 1).status, has(season, 1)) == ("eliminated", left)
        give: dict[str, Any] = {"season": season, "payee": who(season, 3), "amount": 1}
        if leaving == "stays":
            ledger_give(acting_user=account(season, 1), **give)
        else:
            refused("ledger.out", ledger_give, acting_user=account(season, 1), **give)
        assert faults_of(season) == []


# -- put right -----------------------------------------------------------------------------------


def test_what_was_wrong_is_taken_back_once(orla: User) -> None:
    season = trading(orla)
    (entry,) = ledger_grant(
        acting_user=orla, season=season, contestants=[who(season, 1)], amount=5, why="won"
    )
    taken = ledger_correct(acting_user=orla, entry=entry, why="a slip", at=after(hours=1))
    assert (taken.payer, taken.payee, taken.reverses) == (who(season, 1), None, entry)
    assert all_of(season, 4) == [3, 3, 3, 3]
    for each in (entry, taken):
        refused("ledger.corrected", ledger_correct, acting_user=orla, entry=each, why="again")
    assert season.events.latest("pk").words == (
        "Taken back: 5 garnets from the bank to Player 1. a slip"
    )
    (spent,) = ledger_grant(
        acting_user=orla, season=season, contestants=[who(season, 1)], amount=5, why="won"
    )
    ledger_give(acting_user=account(season, 1), season=season, payee=who(season, 2), amount=6)
    refused("ledger.short", ledger_correct, acting_user=orla, entry=spent, why="a slip")


def test_what_comes_back_to_who_is_out_lapses_until_they_are_back(orla: User) -> None:
    season = trading(orla, 5, leaving="lapses")
    gifts = [
        ledger_give(acting_user=account(season, 1), season=season, payee=payee, amount=1)
        for payee in (who(season, 3), who(season, 4))
    ]
    row = death_match_declare(
        acting_user=orla, death_match=chosen(orla, season, ec=1, dmo=2), winner=who(season, 2),
        why="an appeal", at=after(minutes=5),
    )  # fmt: skip
    assert all_of(season, 5) == [0, 3, 4, 4, 3]
    ledger_correct(acting_user=orla, entry=gifts[0], why="a slip", at=after(hours=1))
    assert all_of(season, 5) == [0, 3, 3, 4, 3]
    lapse = LedgerEntry.objects.latest("pk")
    assert (lapse.kind, lapse.payer, lapse.amount) == ("lapse", who(season, 1), 1)
    told = Announcement.objects.filter(kind="contestant.purse", user=account(season, 1))
    assert "who are out, and gone on to the bank" in told.latest("pk").words
    refused("ledger.follows", ledger_correct, acting_user=orla, entry=lapse, why="again")
    # Back in they have it all again.
    death_match_reopen(acting_user=orla, death_match=row, why="a slip", at=after(hours=2))
    assert all_of(season, 5) == [2, 3, 3, 4, 3]
    ledger_correct(acting_user=orla, entry=gifts[1], why="a slip", at=after(hours=3))
    assert all_of(season, 5) == [3, 3, 3, 3, 3]


# -- tokens --------------------------------------------------------------------------------------


def test_a_token_makes_immune_in_the_episode_that_is_on(orla: User) -> None:
    season = trading(orla, 5, **TOKENS)
    two = who(season, 2)
    refused("ledger.short", token_spend, acting_user=account(season, 2), contestant=two)
    ledger_grant(
        acting_user=orla, season=season, contestants=[who(season, 1)], amount=2, why="first",
        unit="token",
    )  # fmt: skip
    ledger_give(acting_user=account(season, 1), season=season, payee=two, amount=1, unit="token")
    refused("token.not-yours", token_spend, acting_user=account(season, 1), contestant=two)
    token_spend(acting_user=account(season, 2), contestant=two, at=after(hours=1))
    token_spend(acting_user=orla, contestant=who(season, 1), at=after(hours=1))
    refused("token.used", token_spend, acting_user=account(season, 2), contestant=two)
    episode = episode_now(season)
    assert immune_by_token(episode.round) == {two.pk, who(season, 1).pk}
    record: dict[str, Any] = {"acting_user": orla, "episode": episode}
    wrong = placings(season, 5, immune=[1])
    refused("placements.token", placements_record, placements=wrong, **record)
    placements_record(placements=placings(season, 5, immune=[1, 2]), **record)
    refused("token.too-late", token_spend, acting_user=orla, contestant=who(season, 3))
    assert [has(season, number, "token") for number in (1, 2)] == [0, 0]
    assert faults_of(season) == []


def test_a_token_that_comes_back_makes_nobody_immune(orla: User) -> None:
    season = trading(orla, **TOKENS)
    two = who(season, 2)
    ledger_grant(
        acting_user=orla, season=season, contestants=[two], amount=1, why="first", unit="token"
    )
    entry = token_spend(acting_user=account(season, 2), contestant=two)
    ledger_correct(acting_user=orla, entry=entry, why="a slip")
    assert immune_by_token(episode_now(season).round) == frozenset()
    assert has(season, 2, "token") == 1


def test_a_token_that_has_counted_does_not_come_back(orla: User) -> None:
    """It does while the main match is on, and where nobody leaves in that episode."""
    season = trading(orla, 5, **TOKENS)
    people = [who(season, number) for number in (1, 2)]
    ledger_grant(
        acting_user=orla, season=season, contestants=people, amount=1, why="first", unit="token"
    )
    entry = token_spend(acting_user=account(season, 2), contestant=people[1])
    assert f"/{entry.pk}/back/" in desk_of(season, orla)
    row = chosen_with(orla, season, placings(season, 4, immune=[2]))
    back: dict[str, Any] = {"acting_user": orla, "entry": entry, "why": "a slip"}
    refused("ledger.used", ledger_correct, **back)
    assert f"/{entry.pk}/back/" not in desk_of(season, orla)
    played(orla, row, winner=1, at=after(hours=1))
    refused("ledger.used", ledger_correct, **back)
    episode = episode_open(acting_user=orla, season=season, at=after(hours=2))
    second = token_spend(acting_user=account(season, 1), contestant=people[0])
    placements_record(
        acting_user=orla, episode=episode, placements=placings(season, 3, immune=[1]),
        at=after(hours=3),
    )  # fmt: skip
    episode_skip(acting_user=orla, episode=episode, why="a storm", at=after(hours=4))
    ledger_correct(acting_user=orla, entry=second, why="it did not count")
    refused("ledger.used", ledger_correct, **back)
    assert [has(season, number, "token") for number in (1, 2)] == [1, 0]


def chosen_with(orla: User, season: Season, placed: list[Placing]) -> DeathMatch:
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=placed, at=after(minutes=5)
    )
    assert episode.ec is not None
    assert episode.ec.user is not None
    return dmo_choose(
        acting_user=episode.ec.user, episode=episode, contestant=who(season, 3),
        at=after(minutes=6),
    )  # fmt: skip


def test_tokens_leave_two_who_can_be_in_the_death_match(orla: User) -> None:
    season = trading(orla, 4, **TOKENS)
    people = [who(season, number) for number in range(1, 5)]
    ledger_grant(
        acting_user=orla, season=season, contestants=people, amount=1, why="all", unit="token"
    )
    for number in (1, 2):
        token_spend(acting_user=account(season, number), contestant=people[number - 1])
    for user in (orla, account(season, 3)):
        refused("token.nobody-left", token_spend, acting_user=user, contestant=people[2])
    own = f"/seasons/{season.slug}/purse/"
    assert f"{own}immunity/" not in signed_in(account(season, 3)).get(own).content.decode()
    chosen_with(orla, season, placings(season, 4, immune=[1, 2]))
    assert faults_of(season) == []


@pytest.mark.parametrize("hidden", [False, True])
def test_who_plays_acts_for_no_rival(orla: User, oscar: User, hidden: bool) -> None:
    """Whatever is shown: an organiser who plays uses up no token of another's, and stakes nothing
    of theirs."""
    season = trading(orla, 5, **TOKENS, stakes="wager", hidden=hidden)
    contestant_enrol(acting_user=orla, season=season, user=oscar)
    SeasonOrganiser.objects.create(season=season, user=oscar)
    one = who(season, 1)
    ledger_grant(
        acting_user=orla, season=season, contestants=[one], amount=1, why="won", unit="token"
    )
    refused("token.not-yours", token_spend, acting_user=oscar, contestant=one)
    assert "desk/purses/immunity/" not in desk_of(season, oscar)
    assert "desk/purses/immunity/" in desk_of(season, orla)
    token_spend(acting_user=orla, contestant=one)
    row = chosen_with(orla, season, placings(season, 4, immune=[1]))
    refused("wager.not-seen", wager_set, acting_user=oscar, death_match=row, amount=1)
    desk = f"/seasons/{season.slug}/desk/matches/{row.pk}/"
    for user, offered in ((oscar, False), (orla, True)):
        assert (f"{desk}wager/" in signed_in(user).get(desk).content.decode()) is offered
    wager_set(acting_user=orla, death_match=row, amount=1)


# -- death matches -------------------------------------------------------------------------------

MOVED = [("amount", 2, 2), ("amount", 50, 3), ("all", 1, 3), ("none", 1, 0)]


@pytest.mark.parametrize(("stakes", "stake", "moved"), MOVED)
def test_the_winner_takes_what_the_rule_says(
    orla: User, stakes: str, stake: int, moved: int
) -> None:
    season = trading(orla, stakes=stakes, stake=stake)
    death_match = played(orla, chosen(orla, season, ec=1, dmo=2), winner=1)
    assert all_of(season, 4) == [3 - moved, 3 + moved, 3, 3]
    # What the winner has spent since the bank makes up, and nobody else.
    if moved:
        ledger_give(acting_user=account(season, 2), season=season, payee=who(season, 3), amount=5)
    spent = 5 if moved else 0
    death_match_correct(
        acting_user=orla, death_match=death_match, winner=who(season, 1), why="a mistake",
        at=after(hours=2),
    )  # fmt: skip
    # The one has all again and takes, by the rule, what is left of the other's; nothing is lost.
    left = 3 - min(3, spent) if not moved else max(0, 3 - spent)
    taken = {"none": 0, "all": left}.get(stakes, min(left, stake))
    assert all_of(season, 4) == [3 + taken, left - taken, 3 + spent, 3]


@pytest.mark.parametrize("currency", [False, True])
def test_the_winner_takes_a_token_where_the_rule_says_so(orla: User, currency: bool) -> None:
    season = trading(
        orla, currency=currency, payments="none", tokens=True, stake_token=True, leaving="lapses"
    )
    people = [who(season, 1), who(season, 2)]
    grant: dict[str, Any] = {"season": season, "why": "won", "unit": "token"}
    ledger_grant(acting_user=orla, contestants=people[:1], amount=2, **grant)
    death_match = death_match_declare(
        acting_user=orla, death_match=chosen(orla, season, ec=1, dmo=2), winner=people[1],
        why="an appeal", at=after(hours=1),
    )  # fmt: skip
    assert [has(season, number, "token") for number in (1, 2)] == [0, 1]
    words_of = season.events.filter(kind="ledger.stakes").values_list("words", flat=True)
    assert list(words_of) == ["Player 2 takes 1 immunity token from Player 1."]
    death_match_reopen(acting_user=orla, death_match=death_match, why="a slip", at=after(hours=2))
    assert [has(season, number, "token") for number in (1, 2)] == [2, 0]
    # Who has none loses none.
    death_match_declare(
        acting_user=orla, death_match=fresh(death_match), winner=people[0], why="so",
        at=after(hours=3),
    )  # fmt: skip
    assert [has(season, number, "token") for number in (1, 2)] == [2, 0]
    assert faults_of(season) == []


def test_what_was_moved_comes_back_with_the_result(orla: User) -> None:
    season = trading(orla, stakes="all", leaving="lapses")
    death_match = death_match_declare(
        acting_user=orla, death_match=chosen(orla, season, ec=1, dmo=2), winner=who(season, 2),
        why="an appeal", at=after(hours=1),
    )  # fmt: skip
    assert all_of(season, 4) == [0, 6, 3, 3]
    death_match_reopen(acting_user=orla, death_match=death_match, why="a slip", at=after(hours=2))
    assert all_of(season, 4) == [3, 3, 3, 3]
    death_match_walkover(
        acting_user=orla, death_match=fresh(death_match), winner=who(season, 1), why="away",
        at=after(hours=3),
    )  # fmt: skip
    assert all_of(season, 4) == [6, 0, 3, 3]
    death_match_correct(
        acting_user=orla, death_match=fresh(death_match), winner=who(season, 2), why="there",
        at=after(hours=4),
    )  # fmt: skip
    assert all_of(season, 4) == [0, 6, 3, 3]
    death_match_void(
        acting_user=orla, death_match=fresh(death_match), why="the wrong two", at=after(hours=5)
    )
    assert all_of(season, 4) == [3, 3, 3, 3]


def test_both_wager_the_same_or_nothing(orla: User) -> None:
    season = trading(orla, stakes="wager")
    row = chosen(orla, season, ec=1, dmo=2)
    one, two = account(season, 1), account(season, 2)
    offer: dict[str, Any] = {"death_match": row, "at": after(hours=1)}
    assert wager_offer(acting_user=one, amount=2, **offer) is False
    assert wager_offer(acting_user=two, amount=3, **offer) is False
    assert all_of(season, 4) == [3, 3, 3, 3]
    refused("ledger.short", wager_offer, acting_user=one, amount=4, **offer)
    refused("wager.not-yours", wager_offer, acting_user=account(season, 3), amount=1, **offer)
    assert wager_offer(acting_user=two, amount=2, **offer) is True
    assert all_of(season, 4) == [1, 1, 3, 3]
    refused("wager.agreed", wager_offer, acting_user=one, amount=1, **offer)
    wager_set(acting_user=orla, amount=3, **offer)
    assert all_of(season, 4) == [0, 0, 3, 3]
    refused("ledger.short", wager_set, acting_user=orla, amount=4, **offer)
    begun(orla, row, at=after(hours=2))
    refused("wager.begun", wager_set, acting_user=orla, amount=1, **offer)
    death_match_declare(
        acting_user=orla, death_match=row, winner=who(season, 1), why="late", at=after(hours=3)
    )
    assert all_of(season, 4) == [6, 0, 3, 3]
    death_match_void(acting_user=orla, death_match=fresh(row), why="no", at=after(hours=4))
    assert all_of(season, 4) == [3, 3, 3, 3]


@pytest.mark.parametrize("hidden", [False, True])
def test_both_are_told_what_an_organiser_has_them_wager(orla: User, hidden: bool) -> None:
    season = trading(orla, stakes="wager", hidden=hidden)
    row = chosen(orla, season, ec=1, dmo=2)
    known = set(Announcement.objects.values_list("pk", flat=True))
    seen = season.events.count()

    def told() -> list[str]:
        news = Announcement.objects.filter(kind="contestant.purse").exclude(pk__in=known)
        found = [f"{each.user.username}: {each.words}" for each in news]
        known.update(news.values_list("pk", flat=True))
        return sorted(found)

    wager_set(acting_user=orla, death_match=row, amount=2, at=after(hours=1))
    assert told() == [f"player{number}: Autumn: You wager 2 garnets in {row}." for number in (1, 2)]
    wager_set(acting_user=orla, death_match=row, amount=0, at=after(hours=2))
    assert told() == [
        f"player{number}: Autumn: You wager nothing in {row}, and have back 2 garnets."
        for number in (1, 2)
    ]
    # Nothing was in the bank: there is nothing to tell.
    wager_set(acting_user=orla, death_match=row, amount=0, at=after(hours=3))
    assert told() == []
    public = [
        "Player 1 and Player 2 wager 2 garnets each.",
        f"Nothing is wagered in {row} any more: both have back what they had put in.",
    ]
    events = season.events.order_by("pk")[seen:]
    assert [each.words for each in events] == ([] if hidden else public)


@pytest.mark.parametrize("hidden", [False, True])
def test_the_winner_alone_is_told_that_the_pot_is_theirs(
    orla: User, hidden: bool
) -> None:
    season = trading(orla, stakes="wager", hidden=hidden)
    row = chosen(orla, season, ec=1, dmo=2)
    wager_set(acting_user=orla, death_match=row, amount=2, at=after(minutes=1))
    known = set(Announcement.objects.values_list("pk", flat=True))
    played(orla, fresh(row), winner=1, at=after(hours=1))
    news = Announcement.objects.filter(kind="contestant.purse").exclude(pk__in=known)
    winner = fresh(row).winner
    assert winner is not None
    said = [(winner.user, f"Autumn: You get what was wagered in {row}: 4 garnets.")]
    assert [(each.user, each.words) for each in news] == said
    public = [each.words for each in season.events.filter(kind="ledger.stakes")]
    assert any("gets what was wagered" in each for each in public) is not hidden


def test_an_organiser_sees_what_both_would_wager(orla: User) -> None:
    season = trading(orla, stakes="wager", hidden=True)
    row = chosen(orla, season, ec=1, dmo=2)
    address = f"/seasons/{season.slug}/desk/matches/{row.pk}/wager/"
    wager_offer(acting_user=account(season, 2), death_match=row, amount=3)
    text = words(signed_in(orla).get(address))
    assert "Player 1 nothing yet Player 2 would wager 3" in text
    wager_set(acting_user=orla, death_match=row, amount=2)
    assert "Wagered by each 2 garnets" in words(signed_in(orla).get(address))


def test_an_offer_goes_with_what_it_was_of(orla: User) -> None:
    """Not when the other takes it up, who would learn by that what there is: at once."""
    season = trading(orla, 4, "swiss", stakes="wager", hidden=True)
    row = DeathMatch.objects.filter(round__season=season).order_by("pk")[0]
    home, away = row.home, row.away
    assert home is not None and away is not None and home.user and away.user  # noqa: PT018
    (entry,) = ledger_grant(
        acting_user=orla, season=season, contestants=[away], amount=5, why="won"
    )
    wager_offer(acting_user=away.user, death_match=row, amount=3)
    ledger_correct(acting_user=orla, entry=entry, why="a slip")
    # There is enough for it still.
    assert Wager.objects.get().away_offer == 3
    (entry,) = ledger_grant(
        acting_user=orla, season=season, contestants=[away], amount=5, why="won"
    )
    wager_offer(acting_user=away.user, death_match=row, amount=8)
    ledger_correct(acting_user=orla, entry=entry, why="a slip")
    assert Wager.objects.get().away_offer is None
    (more,) = ledger_grant(acting_user=orla, season=season, contestants=[home], amount=5, why="won")
    assert wager_offer(acting_user=home.user, death_match=row, amount=8) is False
    assert Wager.objects.get().home_offer == 8
    assert balance_of(home) == 8
    ledger_correct(acting_user=orla, entry=more, why="a slip")
    assert offered_by(home) == 0
    # What has begun is not kept for it, and may begin anew.
    wager_offer(acting_user=home.user, death_match=row, amount=3)
    death_match_declare(
        acting_user=orla, death_match=fresh(row), winner=home, why="so", at=after(hours=1)
    )
    ledger_give(acting_user=home.user, season=season, payee=away, amount=2)
    death_match_reopen(acting_user=orla, death_match=fresh(row), why="no", at=after(hours=2))
    assert (offered_by(home), balance_of(home)) == (0, 1)


def test_what_is_wagered_comes_back_where_the_season_is_called_off(orla: User) -> None:
    season = trading(orla, 6, stakes="wager")
    row = chosen(orla, season, ec=5, dmo=6)
    wager_set(acting_user=orla, death_match=row, amount=1)
    played(orla, row, winner=1, at=after(minutes=5))
    row = chosen(orla, season, ec=1, dmo=2, at=after(minutes=10))
    for number in (1, 2):
        wager_offer(acting_user=account(season, number), death_match=row, amount=2)
    assert all_of(season, 6) == [1, 1, 3, 3, 2, 4]
    season_cancel(acting_user=orla, season=season, why="No time.", at=after(hours=1))
    # What was played for stays where it went.
    assert all_of(season, 6) == [3, 3, 3, 3, 2, 4]
    assert Wager.objects.count() == 1


def test_what_stays_in_the_bank_of_a_season_called_off_is_noticed(orla: User) -> None:
    season = trading(orla, stakes="wager")
    wager_set(acting_user=orla, death_match=chosen(orla, season, ec=1, dmo=2), amount=2)
    assert faults_of(season) == []
    Season.objects.filter(pk=season.pk).update(status="cancelled", finished_at=after(hours=1))
    assert any("has not come back" in each for each in faults_of(season))


def with_tokens(organiser: User, **more: Any) -> tuple[Season, DeathMatch]:
    """A season without a currency in which tokens are wagered: players 1 and 2, who meet, have two
    each."""
    season = running(
        organiser, 5, trade={"tokens": True, "tokens_given": True, "stakes": "wager-tokens", **more}
    )
    row = chosen(organiser, season, ec=1, dmo=2)
    both = [who(season, 1), who(season, 2)]
    ledger_grant(
        acting_user=organiser, season=season, contestants=both, amount=2, unit="token", why="won"
    )
    return season, row


def tokens_of(season: Season) -> list[int]:
    assert faults_of(season) == []
    return [has(season, number, Unit.TOKEN) for number in (1, 2, 3)]


def test_tokens_are_wagered_as_the_currency_is(orla: User) -> None:
    season, row = with_tokens(orla)
    one, two = account(season, 1), account(season, 2)
    refused("ledger.short", wager_offer, acting_user=one, death_match=row, amount=3)
    assert wager_offer(acting_user=one, death_match=row, amount=1) is False
    assert wager_offer(acting_user=two, death_match=row, amount=1) is True
    assert tokens_of(season) == [1, 1, 0]
    said = [each.words for each in season.events.filter(kind="ledger.stakes")]
    assert said == ["Player 1 and Player 2 wager 1 immunity token each."]
    wager_set(acting_user=orla, death_match=row, amount=2)
    assert tokens_of(season) == [0, 0, 0]
    played(orla, fresh(row), winner=1, at=after(hours=1))
    assert tokens_of(season) == [0, 4, 0]
    event = season.events.filter(kind="ledger.stakes").latest("pk")
    assert event.words == "Player 2 gets what was wagered: 4 immunity tokens."
    assert (event.data["unit"], event.data["amount"]) == ("token", 4)
    # It comes back with the result, and stays wagered.
    death_match_correct(
        acting_user=orla, death_match=fresh(row), winner=who(season, 1), why="the other"
    )
    assert tokens_of(season) == [4, 0, 0]


def test_a_token_that_is_offered_is_not_used_nor_given(orla: User) -> None:
    season, row = with_tokens(orla)
    holder = account(season, 2)
    wager_offer(acting_user=holder, death_match=row, amount=2)
    refused("ledger.offered", ledger_give, acting_user=holder, season=season,
            payee=who(season, 3), amount=1, unit="token")  # fmt: skip
    played(orla, row, winner=0, at=after(hours=1))
    assert tokens_of(season) == [2, 2, 0]
    ledger_grant(acting_user=orla, season=season, contestants=[who(season, 3)], amount=1,
                 unit="token", why="won")  # fmt: skip
    episode_open(acting_user=orla, season=season)
    assert token_spend(acting_user=account(season, 3), contestant=who(season, 3)).amount == 1


def test_what_is_wagered_in_another_unit_is_offered_anew(orla: User) -> None:
    season, row = with_tokens(orla, currency=True)
    ledger_grant(acting_user=orla, season=season, contestants=[who(season, 1)], amount=1, why="won")
    wager_offer(acting_user=account(season, 1), death_match=row, amount=2)
    changes = {"trade": {**season.trade, "stakes": "wager"}}
    season = season_update(acting_user=orla, season=season, changes=changes)
    assert not Wager.objects.exists()
    refused("ledger.short", wager_offer, acting_user=account(season, 1), death_match=row, amount=2)


def test_pages_say_that_tokens_are_wagered(orla: User) -> None:
    season, row = with_tokens(orla)
    player = signed_in(account(season, 1))
    assert "Wager immunity tokens" in words(player.get(row.get_absolute_url()))
    form = player.get(f"{row.get_absolute_url()}wager/")
    assert "How many immunity tokens" in words(form)
    wager_set(acting_user=orla, death_match=row, amount=2)
    desk = f"/seasons/{season.slug}/desk/matches/{row.pk}/wager/"
    assert "Wagered by each 2 immunity tokens" in words(signed_in(orla).get(desk))
    told = words(player.get(row.get_absolute_url()))
    assert "Both have wagered 2 immunity tokens: the winner takes both." in told


def test_what_the_other_has_is_not_found_out_by_a_wager(orla: User) -> None:
    """What is offered is kept for it: whoever takes it up does not find it spent."""
    season = trading(orla, stakes="wager", hidden=True)
    row = chosen(orla, season, ec=1, dmo=2)
    wager_offer(acting_user=account(season, 2), death_match=row, amount=3)
    give: dict[str, Any] = {"acting_user": account(season, 2), "season": season}
    refused("ledger.offered", ledger_give, payee=who(season, 3), amount=2, **give)
    wager_offer(acting_user=account(season, 2), death_match=row, amount=1)
    ledger_give(payee=who(season, 3), amount=2, **give)
    # An offer that the other could not meet is taken as any other is.
    assert wager_offer(acting_user=account(season, 1), death_match=row, amount=3) is False
    assert wager_offer(acting_user=account(season, 1), death_match=row, amount=1) is True
    assert all_of(season, 3) == [2, 0, 5]


# -- leaving -------------------------------------------------------------------------------------


def test_whoever_takes_over_has_the_purse(orla: User) -> None:
    season = trading(orla, leaving="lapses", tokens=True, stakes="wager")
    two = who(season, 2)
    ledger_grant(
        acting_user=orla, season=season, contestants=[two], amount=1, why="won", unit="token"
    )
    row = chosen(orla, season, ec=1, dmo=2)
    wager_set(acting_user=orla, death_match=row, amount=1)
    token = LedgerEntry.objects.get(unit="token")
    new = contestant_replace(
        acting_user=orla, contestant=two, user=user_named("heir"), why="ill", at=after(hours=1)
    )
    assert (balance_of(new), balance_of(new, "token"), has(season, 2)) == (2, 1, 0)
    # What went to the place is taken back from whoever holds it.
    ledger_correct(acting_user=orla, entry=token, why="a slip", at=after(hours=2))
    assert balance_of(new, "token") == 0
    death_match_void(acting_user=orla, death_match=fresh(row), why="no", at=after(hours=3))
    assert balance_of(new) == 3
    assert faults_of(season) == []


def test_whoever_withdraws_loses_it_until_they_come_back(orla: User) -> None:
    for leaving, left in (("lapses", 0), ("stays", 3)):
        season = trading(orla, 4, "swiss", leaving=leaving)
        two = who(season, 2)
        contestant_withdraw(acting_user=two.user, contestant=two, at=after(hours=1))
        assert has(season, 2) == left
        grant: dict[str, Any] = {"season": season, "amount": 1, "why": "won"}
        refused("ledger.out", ledger_grant, acting_user=orla, contestants=[two], **grant)
        contestant_return(
            acting_user=orla, contestant=who(season, 2), why="well again", at=after(hours=2)
        )
        assert has(season, 2) == 3
        assert faults_of(season) == []


def test_what_a_place_began_with_is_paid_once(orla: User) -> None:
    """Whoever takes over has the purse, and gets no other where they leave and come back."""
    for leaving in ("lapses", "stays"):
        season = trading(orla, 4, "swiss", leaving=leaving)
        heir = contestant_replace(
            acting_user=orla, contestant=who(season, 2), user=user_named(f"heir-{leaving}"),
            why="ill", at=after(hours=1),
        )  # fmt: skip
        contestant_withdraw(acting_user=orla, contestant=heir, why="away", at=after(hours=2))
        heir.refresh_from_db()
        contestant_return(acting_user=orla, contestant=heir, why="back", at=after(hours=3))
        assert balance_of(heir) == 3
        assert LedgerEntry.objects.filter(season=season, kind="start").count() == 4
        assert faults_of(season) == []


def test_a_wager_that_is_agreed_is_not_offered_again_by_who_takes_over(orla: User) -> None:
    """What the other one has is theirs to spend: both have wagered, whoever plays it now."""
    season = trading(orla, start=10, stakes="wager")
    row = chosen(orla, season, ec=1, dmo=2)
    for number in (1, 2):
        wager_offer(acting_user=account(season, number), death_match=row, amount=5)
    new = contestant_replace(
        acting_user=orla, contestant=who(season, 1), user=user_named("heir"), why="ill",
        at=after(hours=1),
    )  # fmt: skip
    wager = Wager.objects.get()
    assert (wager.home_offer, wager.away_offer) == (5, 5)
    assert [offered_by(each) for each in (new, who(season, 2))] == [0, 0]
    ledger_give(acting_user=account(season, 2), season=season, payee=who(season, 3), amount=5)
    # An offer that is not agreed upon goes with whoever made it.
    death_match_void(acting_user=orla, death_match=fresh(row), why="no", at=after(hours=2))
    assert [balance_of(new), *all_of(season, 3)[1:]] == [10, 5, 15]


# -- whatever happens ----------------------------------------------------------------------------


def acts_of(orla: User, season: Season, rng: random.Random) -> list[Callable[[], Any]]:
    """Something that might be done, each perhaps refused."""
    people = list(season.contestants.select_related("user").order_by("pk"))
    anybody = rng.choice(people)
    user = anybody.user
    assert user is not None
    rows = list(DeathMatch.objects.filter(round__season=season))
    acts: list[Callable[[], Any]] = [
        lambda: ledger_grant(
            acting_user=orla, season=season, contestants=rng.sample(people, 2),
            amount=rng.randint(1, 4), why="won", unit=rng.choice(Unit.values),
        ),
        lambda: ledger_give(
            acting_user=user, season=season, payee=rng.choice(people),
            amount=rng.randint(1, 6), unit=rng.choice(Unit.values), secret=rng.random() < 0.5,
        ),
        lambda: ledger_correct(
            acting_user=orla, why="a slip",
            entry=rng.choice(list(LedgerEntry.objects.filter(season=season))),
        ),
        lambda: token_spend(acting_user=orla, contestant=anybody),
        lambda: contestant_withdraw(acting_user=orla, contestant=anybody, why="away"),
        lambda: contestant_return(acting_user=orla, contestant=anybody, why="back"),
        lambda: contestant_replace(
            acting_user=orla, contestant=anybody, user=user_named(f"new{rng.randrange(10**9)}"),
            why="ill",
        ),
    ]  # fmt: skip
    if rows:
        row = rng.choice(rows)
        sides = [each for each in (row.home, row.away) if each is not None]
        acts += [
            lambda: wager_set(acting_user=orla, death_match=row, amount=rng.randint(0, 4)),
            *(
                partial(wager_offer, acting_user=each.user, death_match=row, amount=amount)
                for each in sides
                if each.user is not None
                for amount in [rng.randint(0, 4)]
            ),
            lambda: death_match_declare(
                acting_user=orla, death_match=row, winner=rng.choice(sides), why="so"
            ),
            lambda: death_match_reopen(acting_user=orla, death_match=row, why="not so"),
            lambda: death_match_correct(
                acting_user=orla, death_match=row, winner=rng.choice(sides), why="the other"
            ),
            lambda: death_match_void(acting_user=orla, death_match=row, why="off"),
        ]
    return acts


@pytest.mark.parametrize("seed", range(8))
def test_whatever_happens_the_ledger_balances(orla: User, seed: int) -> None:
    rng = random.Random(seed)
    stakes = ["amount", "all", "wager", "wager-tokens"][seed % 4]
    season = trading(
        orla, 6, ["elimination", "swiss"][seed % 2], stakes=stakes, stake=2, hidden=True,
        payments="secret", leaving=["stays", "lapses"][seed // 4], tokens=True, tokens_given=True,
        stake_token=seed % 2 == 0,
    )  # fmt: skip
    if season.format == "elimination":
        chosen(orla, season, ec=1, dmo=2)
    done = 0
    for _ in range(60):
        act = rng.choice(acts_of(orla, season, rng))
        with suppress(Refusal), transaction.atomic():
            act()
            done += 1
        purses = purses_of(season)
        assert min(amount for purse in purses.values() for amount in purse.values()) >= 0
        people = season.contestants.all()
        unit = trade_of(season).wagers or Unit.CURRENCY
        assert [each for each in people if offered_by(each) > balance_of(each, unit)] == []
        ours = ("ledger", "entry", "wager", "less than nothing")
        assert [each for each in faults_of(season) if any(word in each for word in ours)] == []
    assert done > 8


# -- pages ---------------------------------------------------------------------------------------


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_contestants_pay_on_their_page(orla: User) -> None:
    season = trading(orla, **TOKENS)
    address = f"/seasons/{season.slug}/purse/"
    one, stranger = signed_in(account(season, 1)), Client()
    assert "You have 3 garnets and 0 immunity tokens ." in words(one.get(address))
    assert "Player 4 3 0" in words(stranger.get(address))
    form = {"payee": who(season, 2).pk, "amount": 2, "unit": "currency", "note": "for the vote"}
    sent = one.post(f"{address}give/", form)
    assert (sent.status_code, sent["Location"]) == (302, address)
    text = words(stranger.get(address))
    assert "Player 2 5 0" in text
    assert "2 garnets Player 1 → Player 2 Given: for the vote" in text
    assert one.post(f"{address}give/", form).status_code == 422
    assert "does not have so many garnets" in words(one.post(f"{address}give/", form))
    assert signed_in(user_named("nobody")).post(f"{address}give/", form).status_code == 403
    assert "Player 1 gives Player 2 2 garnets" in words(stranger.get(f"/seasons/{season.slug}/"))


def key_in(client: Client, address: str) -> str:
    return str(client.get(address).context["form"]["form"].value())


def test_a_form_that_is_sent_twice_counts_once(orla: User) -> None:
    """As the answer may be lost on its way; a form that is shown anew counts anew."""
    season = trading(orla)
    give = f"/seasons/{season.slug}/purse/give/"
    one, desk = signed_in(account(season, 1)), signed_in(orla)
    form: dict[str, Any] = {"payee": who(season, 2).pk, "amount": 1, "note": "for the vote"}
    form["form"] = key_in(one, give)
    for sent in (one.post(give, form), one.post(give, form)):
        assert (sent.status_code, sent["Location"]) == (302, f"/seasons/{season.slug}/purse/")
    assert all_of(season, 4) == [2, 4, 3, 3]
    assert season.events.filter(kind="ledger.given").count() == 1
    assert Announcement.objects.filter(kind="contestant.purse").count() == 1
    assert AuditEntry.objects.filter(action="ledger.give").count() == 1
    # Somebody else's form with that key is theirs, and one that says something else is another.
    two = signed_in(account(season, 2))
    assert two.post(give, {**form, "payee": who(season, 1).pk}).status_code == 302
    assert one.post(give, {**form, "payee": who(season, 3).pk}).status_code == 302
    assert all_of(season, 4) == [2, 3, 4, 3]
    again = {**form, "form": key_in(one, give)}
    assert again["form"] != form["form"]
    assert one.post(give, again).status_code == 302
    # It counts once even where it could not be done twice.
    assert one.post(give, {**again, "amount": 1}).status_code == 302
    assert all_of(season, 4) == [1, 4, 4, 3]
    address = f"/seasons/{season.slug}/desk/purses/"
    grant = {"contestants": [who(season, 1).pk, who(season, 2).pk], "amount": 5, "why": "won",
             "form": key_in(desk, address)}  # fmt: skip
    for _ in range(2):
        assert desk.post(address, grant).status_code == 302
    assert all_of(season, 4) == [6, 9, 4, 3]
    assert season.events.filter(kind="ledger.won").count() == 1


def test_the_desk_enters_takes_back_and_hands_out_the_ledger(orla: User) -> None:
    season = trading(orla, **TOKENS)
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/purses/"
    form = {"contestants": [who(season, 1).pk, who(season, 2).pk], "unit": "token", "amount": 1,
            "round": season.rounds.get().pk, "why": "=the main match"}  # fmt: skip
    sent = desk.post(address, form)
    assert (sent.status_code, sent["Location"]) == (302, address)
    assert [has(season, number, "token") for number in (1, 2, 3)] == [1, 1, 0]
    entry = LedgerEntry.objects.latest("pk")
    assert f"{address}{entry.pk}/back/" in desk.get(address).content.decode()
    assert desk.post(f"{address}{entry.pk}/back/", {"why": "a slip"}).status_code == 302
    assert has(season, 2, "token") == 0
    assert f"{address}{entry.pk}/back/" not in desk.get(address).content.decode()
    used = desk.post(f"{address}immunity/", {"contestant": who(season, 1).pk})
    assert used.status_code == 302
    page = desk.get(f"/seasons/{season.slug}/desk/rounds/1/placements/")
    assert page.context["form"][f"immune_{who(season, 1).pk}"].value() is True
    lines = desk.get(f"/seasons/{season.slug}/desk/purses.csv").content.decode().splitlines()
    assert lines[0].startswith("number,at,kind,unit,amount,from,to,secret")
    assert len(lines) == 1 + LedgerEntry.objects.count()
    assert "'=the main match" in "".join(lines)
    named = {**season.trade, "singular": "=A(1)", "plural": "=HYPERLINK(1)"}
    season_update(acting_user=orla, season=season, changes={"trade": named})
    text = desk.get(f"/seasons/{season.slug}/desk/purses.csv").content.decode()
    assert "'=HYPERLINK(1)" in text
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert desk.post(address, {"amount": 1, "why": "won"}).status_code == 422


def test_the_desk_asks_no_more_for_many_entries(orla: User) -> None:
    season = trading(orla, 4, **TOKENS)
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/purses/"
    costs = []
    for _ in range(2):
        desk.get(address)
        with CaptureQueriesContext(connection) as queries:
            page = desk.get(address)
        costs.append((len(page.context["entries"]), len(queries)))
        for number in range(1, 5):
            people = [who(season, each) for each in range(1, 5)]
            ledger_grant(
                acting_user=orla, season=season, contestants=people, amount=number, why="won"
            )
    (few, first), (many, second) = costs
    assert (few, many) == (4, 20)
    assert first == second <= 24


def test_settings_say_what_is_traded(orla: User) -> None:
    season = enrolled(orla, 2)
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/settings/"
    form = desk.get(address).context["form"]
    sent = {each.html_name: each.value() for each in form if each.value() not in (None, False)}
    assert desk.post(address, sent).status_code == 302
    assert Season.objects.get().trade == {}
    wanted = {"trade_currency": "on", "trade_start": 5, "trade_payments": "secret"}
    refused_page = desk.post(address, sent | wanted)
    assert refused_page.status_code == 422
    assert list(refused_page.context["form"].errors) == ["trade_hidden"]
    assert desk.post(address, sent | wanted | {"trade_hidden": "on"}).status_code == 302
    trade = trade_of(Season.objects.get())
    assert (trade.start, trade.payments, trade.hidden) == (5, "secret", True)


def test_a_death_match_says_what_is_wagered(orla: User) -> None:
    season = trading(orla, stakes="wager")
    row = chosen(orla, season, ec=1, dmo=2)
    address = row.get_absolute_url()
    one, two = signed_in(account(season, 1)), signed_in(account(season, 2))
    assert f"{address}wager/" in one.get(address).content.decode()
    assert f"{address}wager/" not in Client().get(address).content.decode()
    one.post(f"{address}wager/", {"amount": 2})
    assert "Player 1 2" in words(two.get(f"{address}wager/"))
    two.post(f"{address}wager/", {"amount": 2})
    assert "Both have wagered 2 garnets" in words(Client().get(address))
