"""What people are told of what a season trades in: its rules, what changes of them, and what is
wagered, won and taken in death matches."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import Announcement, User
from accounts.roles import Role
from accounts.services import role_grant
from tests.pages.support import words
from tests.tournaments.support import (
    START,
    account,
    after,
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
from tournaments.formats.elimination.main_match import placements_record
from tournaments.models import LedgerEntry, Season, SeasonOrganiser
from tournaments.notices import event_announce
from tournaments.services.ledger.acts import ledger_grant
from tournaments.services.ledger.stakes import wager_offer, wager_set
from tournaments.services.results.corrections import death_match_correct
from tournaments.services.seasons import season_update
from tournaments.trade import LEAVING, PAYMENTS, STAKES, Trade

ALL: dict[str, Any] = {
    "currency": True, "start": 3, "payments": "secret", "hidden": True, "tokens": True,
    "stakes": "all", "stake_token": True, "leaving": "lapses",
}  # fmt: skip


def page(path: str, user: User | None = None) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    return words(client.get(path))


def changed(by: User, season: Season, **trade: Any) -> Season:
    changes = {"trade": {**season.trade, **trade}}
    return season_update(acting_user=by, season=season, changes=changes, at=after(hours=1))


def purse_news(user: User) -> list[str]:
    news = Announcement.objects.filter(user=user, kind="contestant.purse").order_by("pk")
    return [each.words for each in news]


# -- the rules -----------------------------------------------------------------------------------


def test_every_choice_makes_another_sentence() -> None:
    """So a change of any of them can be told."""
    base = Trade(currency=True, tokens=True)
    choices: dict[str, list[Any]] = {
        "start": [0, 1, 2], "payments": list(PAYMENTS), "hidden": [False, True],
        "tokens": [False, True], "currency": [False, True], "tokens_given": [False, True],
        "stakes": list(STAKES), "stake_token": [False, True], "leaving": list(LEAVING),
    }  # fmt: skip
    assert set(choices) | {"singular", "plural", "stake"} == set(Trade.__struct_fields__)
    kept = {name: getattr(base, name) for name in choices}
    for name, values in choices.items():
        told = [Trade(**{**kept, name: value}).rules for value in values]
        assert len(set(told)) == len(values), name
    amounts = [Trade(currency=True, stakes="amount", stake=each).rules for each in (1, 2)]
    assert amounts[0] != amounts[1]


def test_those_who_play_read_the_rules(orla: User, cleo: User) -> None:
    season = enrolled(orla, 4, trade=ALL)
    season = season_update(acting_user=orla, season=season, changes={"open_enrolment": True})
    rules = [
        "Everybody begins with 3 garnets.",
        "Contestants may pay each other garnets, openly or in secret.",
        "In a death match the winner takes all that the loser has.",
        "The winner takes an immunity token from a loser who has one.",
        "What somebody has who is out goes to the bank.",
    ]
    for part in ("", "purse/", "join/"):
        told = page(f"/seasons/{season.slug}/{part}", cleo)
        assert [each for each in rules if each not in told] == [], part


def test_a_death_match_says_what_it_moves(orla: User) -> None:
    season = running(orla, 4, trade=ALL)
    row = chosen(orla, season, ec=1, dmo=2)
    assert "In a death match the winner takes all that the loser has." in page(
        row.get_absolute_url()
    )


def test_a_change_of_the_rules_is_told_while_a_season_is_on(orla: User) -> None:
    season = running(orla, 4, trade=ALL)
    season = changed(orla, season, stakes="none", stake_token=False)
    event = season.events.latest("pk")
    assert event.words == (
        "The rules of what is traded change. In a death match nothing changes hands. Before: In a "
        "death match the winner takes all that the loser has. The winner takes an immunity token "
        "from a loser who has one."
    )
    assert event.data == {"by": "Orla"}
    for part in ("history/", "rulings/"):
        assert "In a death match nothing changes hands." in page(f"/seasons/{season.slug}/{part}")
    assert event_announce(event.pk) == 4
    told = Announcement.objects.get(user=account(season, 3), kind="season.news")
    assert told.words.endswith("Decided by Orla.")
    assert told.path == f"/seasons/{season.slug}/purse/"


def test_a_change_before_it_begins_is_no_news(orla: User) -> None:
    season = changed(orla, enrolled(orla, 4, trade=ALL), stakes="none")
    assert not season.events.filter(kind="ruling").exists()


def test_nobody_changes_what_they_play_for(orla: User) -> None:
    season = running(orla, 4, trade=ALL)
    playing = [account(season, number) for number in (1, 2, 3)]
    for each in playing:
        role_grant(acting_user=User.objects.get(username="root"), user=each, role=Role.ORGANISER)
        SeasonOrganiser.objects.create(season=season, user=each)
    one, two, three = (User.objects.get(pk=each.pk) for each in playing)
    change: dict[str, Any] = {"changes": {"trade": {**season.trade, "stakes": "none"}}}
    # As the EC who chooses, and as either side; as one of the others they may.
    episode = placements_record(
        acting_user=orla, episode=episode_now(season), placements=placings(season, 1), at=START
    )
    refused("season.own", season_update, acting_user=one, season=season, **change)
    row = dmo_choose(acting_user=one, episode=episode, contestant=who(season, 2), at=START)
    for each in (one, two):
        refused("season.own", season_update, acting_user=each, season=season, **change)
        other: dict[str, Any] = {"summary": f"By {each}.", "trade": season.trade}
        season = season_update(acting_user=each, season=season, changes=other)
    season = changed(three, season, stakes="amount")
    played(orla, row, winner=0, at=after(hours=2))
    changed(one, season, stakes="none")


# -- in death matches ----------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", [False, True])
def test_whoever_is_offered_a_wager_is_told(orla: User, hidden: bool) -> None:
    season = running(
        orla, 4, trade={**ALL, "stakes": "wager", "hidden": hidden, "payments": "open"}
    )
    row = chosen(orla, season, ec=1, dmo=2)
    one, two = account(season, 1), account(season, 2)
    for minute, amount in enumerate((2, 2, 3, 0)):
        wager_offer(acting_user=one, death_match=row, amount=amount, at=after(minutes=minute))
    assert purse_news(one) == []
    assert purse_news(two) == [
        f"Autumn: Player 1 would wager 2 garnets in {row}.",
        f"Autumn: Player 1 would wager 3 garnets in {row}.",
        f"Autumn: Player 1 would wager nothing any more in {row}.",
    ]
    told = Announcement.objects.filter(user=two, kind="contestant.purse").latest("pk")
    assert told.path == row.get_absolute_url()
    # The page says so to that one alone.
    wager_offer(acting_user=two, death_match=row, amount=1, at=after(minutes=9))
    sentence = "Your opponent would wager 1 garnet."
    readers = [one, two, account(season, 3), orla, None]
    shown = [sentence in page(row.get_absolute_url(), each) for each in readers]
    assert shown == [True, False, False, False, False]


@pytest.mark.parametrize("hidden", [False, True])
def test_both_see_on_the_page_what_is_wagered(orla: User, hidden: bool) -> None:
    season = running(
        orla, 4, trade={**ALL, "stakes": "wager", "hidden": hidden, "payments": "open"}
    )
    row = chosen(orla, season, ec=1, dmo=2)
    wager_set(acting_user=orla, death_match=row, amount=2, at=after(minutes=1))
    knowing = [account(season, 1), account(season, 2), orla]
    others = [account(season, 3), None]
    for readers, sees in ((knowing, True), (others, not hidden)):
        for each in readers:
            told = page(row.get_absolute_url(), each)
            assert ("Both have wagered 2 garnets: the winner takes both." in told) is sees, each


@pytest.mark.parametrize("hidden", [False, True])
def test_both_are_told_what_is_taken_and_what_comes_back(orla: User, hidden: bool) -> None:
    season = running(orla, 4, trade={**ALL, "hidden": hidden, "payments": "open"})
    row = chosen(orla, season, ec=1, dmo=2)
    ledger_grant(
        acting_user=orla, season=season, contestants=[who(season, 2)], amount=1, unit="token",
        why="won", at=after(minutes=1),
    )  # fmt: skip
    one, two = account(season, 1), account(season, 2)
    before = len(purse_news(two))
    played(orla, row, winner=0, at=after(hours=1))
    assert purse_news(one) == [
        f"Autumn: You take 3 garnets from Player 2 in {row}.",
        f"Autumn: You take 1 immunity token from Player 2 in {row}.",
    ]
    assert purse_news(two)[before:] == [
        f"Autumn: Player 1 takes 3 garnets from you in {row}.",
        f"Autumn: Player 1 takes 1 immunity token from you in {row}.",
    ]
    assert purse_news(account(season, 3)) == []
    death_match_correct(
        acting_user=orla, death_match=fresh(row), winner=who(season, 2), why="A slip.",
        at=after(hours=2),
    )  # fmt: skip
    told = [
        each for each in purse_news(one) if "Taken back from you: 3 garnets: The result" in each
    ]
    assert len(told) == 1
    assert any("Given back to you: 3 garnets" in each for each in purse_news(two))


# -- what pages say ------------------------------------------------------------------------------


def test_who_reads_why_an_entry_is_taken_back(orla: User) -> None:
    for hidden, said in (
        (True, "Those whom the entry concerns read it"),
        (False, "Everybody will"),
    ):
        trade = {**ALL, "hidden": hidden, "payments": "open"}
        season = running(orla, 4, trade=trade)
        entry = LedgerEntry.objects.filter(season=season)[0]
        path = f"/seasons/{season.slug}/desk/purses/{entry.pk}/back/"
        assert said in page(path, orla)
        assert ("Everybody will read it" in page(path, orla)) is not hidden


def test_nobody_is_chosen_where_something_is_given(orla: User) -> None:
    season = running(orla, 4, trade=ALL)
    client = Client()
    client.force_login(account(season, 1))
    path = f"/seasons/{season.slug}/purse/give/"
    assert client.get(path).context["form"]["payee"].value() in (None, "")
    answer = client.post(path, {"payee": "", "unit": "currency", "amount": 1})
    assert answer.context["form"].errors["payee"]
    assert not LedgerEntry.objects.filter(kind="given").exists()


def test_only_who_has_a_purse_is_told_that_they_see_it(orla: User, cleo: User) -> None:
    season = running(orla, 4, trade=ALL)
    path = f"/seasons/{season.slug}/purse/"
    readers = (account(season, 1), cleo, None)
    assert ["You see your own." in page(path, each) for each in readers] == [True, False, False]


def test_where_there_is_one_to_win_nobody_is_asked_who(orla: User) -> None:
    season = running(orla, 4)
    row = chosen(orla, season, ec=1, dmo=2)
    played(orla, row, winner=1, at=after(hours=1))
    client = Client()
    client.force_login(orla)
    path = f"/seasons/{season.slug}/desk/matches/{row.pk}/correct/"
    shown = client.get(path)
    field = shown.context["form"]["winner"]
    assert (field.is_hidden, field.value()) == (True, who(season, 1).pk)
    assert "It was won by Player 2; Player 1 wins it now." in words(shown)
    client.post(path, {"winner": field.value(), "why": "A slip."})
    assert fresh(row).winner == who(season, 1)
