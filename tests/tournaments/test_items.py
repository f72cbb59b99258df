"""Items: given, brought in secret, resolved, used up, returned."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, InternalError, transaction
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from tests.tournaments.support import (
    START,
    WARS,
    account,
    begun,
    conceded,
    down_to_two,
    fresh,
    kinds,
    leg_of,
    organiser_joins,
    played,
    refused,
    running,
    who,
)
from tests.tournaments.test_documents import elsewhere
from tournaments.actions.players import GIVE
from tournaments.actions.subjects import AtContestant
from tournaments.audience import may_see_declarations
from tournaments.documents.export import season_records
from tournaments.documents.restore import season_import
from tournaments.formats.elimination.final import final_open
from tournaments.invariants import faults_of
from tournaments.models import Contestant, DeathMatch, Gift, ItemEvent, Season
from tournaments.reading.sheet import Sheet
from tournaments.services.items.declarations import item_declare, item_undeclare
from tournaments.services.items.gifts import item_give
from tournaments.services.items.returns import item_take_back
from tournaments.services.legs import rules_set
from tournaments.services.results.corrections import death_match_correct, leg_void
from tournaments.views.public import leg_facts

REPEAT: dict[str, Any] = {"item": "domino-repeat", "ruleset": "domino-wars"}
TIE: dict[str, Any] = {"item": "tie-advantage", "ruleset": "domino-wars"}


@pytest.fixture
def season(orla: User) -> Season:
    """Player 3 has been eliminated by Player 2."""
    return down_to_two(orla)


@pytest.fixture
def final(orla: User, season: Season) -> DeathMatch:
    """Player 1 (seat 0) against Player 2, the best of three in Domino Wars."""
    return final_open(acting_user=orla, season=season, best_of=3, games=[WARS], at=START)


def given(orla: User, final: DeathMatch, to: int, leg: int | None = 1, **item: Any) -> Gift:
    season = final.round.season
    return item_give(
        acting_user=orla, season=season, receiver=who(season, to), death_match=final,
        leg_number=leg, at=START, **(item or REPEAT),
    )  # fmt: skip


def brought(final: DeathMatch, gift: Gift, target: Gift | None = None, leg: int = 1) -> None:
    assert gift.receiver.user is not None
    item_declare(
        acting_user=gift.receiver.user, leg=leg_of(final, leg), gift=gift, target=target, at=START
    )


def history(gift: Gift) -> list[str]:
    return list(gift.history.order_by("pk").values_list("kind", flat=True))


def acted(*gifts: Gift) -> list[ItemEvent]:
    """What these did to others, in order."""
    return list(ItemEvent.objects.filter(gift__in=gifts, kind="acted").order_by("pk"))


# -- gifts ---------------------------------------------------------------------------------------


def test_the_eliminated_give_one_item(season: Season, final: DeathMatch) -> None:
    giver = who(season, 3)
    right: dict[str, Any] = {
        "acting_user": giver.user, "season": season, "receiver": who(season, 1),
        "death_match": final, "leg_number": 2, **REPEAT,
    }  # fmt: skip
    for_any = {**right, "death_match": None, "leg_number": None}
    refused("item.for-which", item_give, **for_any, giver=giver)
    refused("item.giver", item_give, **for_any)  # as organisers grant
    refused("item.leg", item_give, **{**right, "leg_number": None})
    gift = item_give(**right, note="Win!", at=START)
    assert (gift.giver, gift.note, gift.status) == (giver, "Win!", "held")
    assert history(gift) == ["given"]
    event = season.events.get(kind="item.given")
    assert event.words == (
        "Player 3 gives Player 1 Domino Repeat for Player 1 vs Player 2, match 2."
    )
    refused("item.given-already", item_give, **right)


def test_gifts_that_do_not_fit(orla: User, cleo: User, season: Season, final: DeathMatch) -> None:
    def refuse(code: str, **changed: Any) -> None:
        arguments = {
            "acting_user": orla, "season": season, "receiver": who(season, 1),
            "death_match": final, "leg_number": 1, **REPEAT, **changed,
        }  # fmt: skip
        refused(code, item_give, **arguments)

    refuse("item.giver", acting_user=cleo)
    refuse("item.giver-in", acting_user=account(season, 2))
    refuse("item.giver", acting_user=account(season, 3), giver=who(season, 1))
    refuse("item.giver-in", giver=who(season, 2))
    refuse("item.unknown", item="sword")
    refuse("item.unknown", ruleset="")
    refuse("item.receiver-out", receiver=who(season, 3))
    refuse("item.leg", leg_number=4)
    refuse("item.leg", death_match=None)
    # What an organiser enters for somebody is as theirs; what is granted may be for any match.
    refuse("item.leg", giver=who(season, 3), leg_number=None)
    refuse("item.for-which", giver=who(season, 3), death_match=None, leg_number=None)
    refuse("item.unfit", item="rapid-removal", ruleset="peg-domain")
    refuse("item.note.too-long", note="x" * 301)
    refuse("item.match-over", death_match=DeathMatch.objects.order_by("pk")[0],
           receiver=who(season, 2))  # fmt: skip
    begun(orla, final)
    refuse("item.leg-begun")


def test_nothing_is_given_for_a_death_match_with_one_side(orla: User) -> None:
    season = running(orla, 3, "single-elimination")
    waiting = DeathMatch.objects.get(round__season=season, status="waiting")
    assert waiting.home == who(season, 1)
    refusal = refused(
        "item.match",
        item_give,
        acting_user=orla,
        season=season,
        receiver=who(season, 1),
        item="copy",
        death_match=waiting,
    )
    assert refusal.sentence == "It is not known yet who meets there."
    # So the forms do not offer it.
    assert [str(each) for each, _ in Sheet(season).open_to_items] == ["Player 2 vs Player 3"]


def test_nothing_is_given_while_nothing_is_to_be_played(orla: User, season: Season) -> None:
    giver = who(season, 3)
    gift: dict[str, Any] = {"season": season, "giver": giver, "receiver": who(season, 1), **REPEAT}
    refused("item.no-match", item_give, acting_user=giver.user, **gift)
    # An organiser may know already what it is for.
    assert item_give(acting_user=orla, **gift).giver == giver


def offered(season: Season, giver: Contestant) -> str:
    """Why somebody is not led to giving an item; empty where they are."""
    assert giver.user is not None
    sheet = Sheet(Season.objects.get(pk=season.pk))
    found = GIVE.refusal(AtContestant(giver.user, sheet, who(season, giver.seed or 0)))
    return "" if found is None else found.code


def test_giving_is_offered_while_there_is_something_to_give_for(
    orla: User, season: Season, final: DeathMatch
) -> None:
    giver = who(season, 3)
    gift: dict[str, Any] = {
        "acting_user": giver.user, "season": season, "receiver": who(season, 1),
        "death_match": final, **REPEAT,
    }  # fmt: skip
    # One for each match of the final.
    for number in (1, 2, 3):
        assert not offered(season, giver)
        item_give(**gift, leg_number=number, at=START)
    assert offered(season, giver) == "item.given-already"
    refused("item.given-already", item_give, **gift, leg_number=3)
    item_take_back(acting_user=orla, gift=Gift.objects.get(leg_number=1), why="x", at=START)
    assert not offered(season, giver)
    begun(orla, final)
    # The first match is on, and for the others something was given.
    assert offered(season, giver) == "item.leg-begun"


def test_giving_is_not_offered_for_a_match_that_is_on(orla: User) -> None:
    season = down_to_two(orla)
    final = final_open(acting_user=orla, season=season, best_of=1, games=[WARS], at=START)
    giver = who(season, 3)
    assert not offered(season, giver)
    assert [each.pk for each, _ in Sheet(season).open_to_items] == [final.pk]
    begun(orla, final)
    assert offered(season, giver) == "item.leg-begun"
    assert Sheet(Season.objects.get(pk=season.pk)).open_to_items == []


def test_nobody_helps_themselves_to_items(
    orla: User, season: Season, final: DeathMatch, client: Client
) -> None:
    role_grant(
        acting_user=User.objects.get(username="root"), user=account(season, 1), role=Role.ORGANISER
    )
    finalist = User.objects.get(pk=account(season, 1).pk)
    organiser_joins(acting_user=orla, season=season, user=finalist)
    mine, theirs = given(orla, final, to=1), given(orla, final, to=2)
    grant: dict[str, Any] = {"acting_user": finalist, "season": season, **REPEAT}
    refused("item.oneself", item_give, **grant, receiver=who(season, 1))
    refused("death-match.own", item_give, **grant, receiver=who(season, 2))
    for gift in (mine, theirs):
        refused("death-match.own", item_take_back, acting_user=finalist, gift=gift, why="x")
    # On its page, too, that is somebody else's to do; what can be mended there is asked for anew.
    client.force_login(finalist)
    form = {"item": "domino-repeat@domino-wars", "receiver": who(season, 2).pk, "death_match": ""}
    page = client.post(f"/seasons/{season.slug}/desk/items/", form)
    assert (page.status_code, b"decides about their own" in page.content) == (403, True)
    page = client.post(f"/seasons/{season.slug}/desk/items/", {**form, "item": "nothing"})
    assert page.status_code == 422


def test_a_gift_is_taken_back(orla: User, cleo: User, final: DeathMatch) -> None:
    gift = given(orla, final, to=1)
    brought(final, gift)
    refused("season.not-organiser", item_take_back, acting_user=cleo, gift=gift, why="x")
    refused("why.missing", item_take_back, acting_user=orla, gift=gift, why="")
    item_take_back(acting_user=orla, gift=gift, why="a mistake", at=START)
    assert not gift.declarations.exists()
    assert history(gift) == ["given", "taken-back"]
    refused("lifecycle.step", item_take_back, acting_user=orla, gift=gift, why="x")


# -- declarations --------------------------------------------------------------------------------


def test_what_can_be_brought(orla: User, season: Season, final: DeathMatch) -> None:
    gift, other = given(orla, final, to=1), given(orla, final, to=2, **TIE)
    block, copy = given(orla, final, to=1, item="block"), given(orla, final, to=1, item="copy")
    elsewhere = given(orla, final, to=1, leg=2)

    def refuse(code: str, gift: Gift, number: int = 1, **more: Any) -> None:
        refused(
            code, item_declare, acting_user=account(season, number),
            **{"leg": leg_of(final), "gift": gift, **more},
        )  # fmt: skip

    refuse("item.not-yours", gift, number=2)
    refuse("item.not-yours", gift, number=3)
    refuse("item.elsewhere", elsewhere)
    refuse("item.target", gift, target=other)
    refuse("item.no-target", block)
    refuse("item.target", block, target=gift)
    refuse("item.unblockable", block, target=other)
    refuse("item.uncopyable", copy, target=other)
    refuse("item.uncopyable", copy, target=block)
    brought(final, gift)
    brought(final, copy, target=gift)
    refuse("item.too-late", elsewhere, leg=begun(orla, final))
    refuse("item.gone", gift, leg=leg_of(final, 2))
    refused(
        "item.too-late", item_undeclare, acting_user=account(season, 1), leg=leg_of(final),
        gift=gift,
    )  # fmt: skip


def test_an_item_is_brought_into_one_match_and_left_at_home_again(
    orla: User, season: Season, final: DeathMatch
) -> None:
    gift = given(orla, final, to=1, leg=None)
    brought(final, gift)
    refused(
        "item.declared", item_declare, acting_user=account(season, 1), leg=leg_of(final, 2),
        gift=gift,
    )  # fmt: skip
    refused(
        "item.not-declared", item_undeclare, acting_user=account(season, 2), leg=leg_of(final),
        gift=gift,
    )  # fmt: skip
    first = account(season, 1)
    assert first is not None
    item_undeclare(acting_user=first, leg=leg_of(final), gift=gift)
    brought(final, gift, leg=2)


def test_what_is_brought_is_a_secret_until_it_begins(
    orla: User, season: Season, final: DeathMatch
) -> None:
    gift = given(orla, final, to=1)
    before = kinds(season)
    brought(final, gift)
    assert kinds(season) == before
    assert AuditEntry.objects.get(action="item.declare").data == {}
    leg = leg_of(final)
    seen = [account(season, 1), account(season, 2), orla, None]
    assert [may_see_declarations(leg, 0, user) for user in seen] == [True, False, False, False]
    leg = begun(orla, final)
    assert all(may_see_declarations(leg, 0, user) for user in seen)


# -- in a match ----------------------------------------------------------------------------------


def test_resolved_before_the_set_up(orla: User, season: Season, final: DeathMatch) -> None:
    """Player 2's Block takes one of Player 1's two, and the Copy makes one of the other."""
    one, two = given(orla, final, to=1), given(orla, final, to=1)
    block, copy = given(orla, final, to=2, item="block"), given(orla, final, to=2, item="copy")
    for gift, target in ((one, None), (two, None), (block, one), (copy, two)):
        brought(final, gift, target)
    leg = begun(orla, final)
    assert leg.match is not None
    assert leg.match.items == [
        {"seat": 0, "item": "domino-repeat"}, {"seat": 1, "item": "domino-repeat"},
    ]  # fmt: skip
    assert leg.items is not None
    assert [step["words"] for step in leg.items["steps"]] == [
        "Player 2's Block blocks Player 1's Domino Repeat.",
        "Player 2's Copy copies Player 1's Domino Repeat.",
    ]
    assert {gift.status for gift in Gift.objects.all()} == {"spent"}
    assert (history(one), history(two)) == (
        ["given", "brought", "blocked"], ["given", "brought", "copied"],
    )  # fmt: skip
    assert [(event.gift, event.other, event.words) for event in acted(block, copy)] == [
        (block, one, "Player 2's Block blocks Player 1's Domino Repeat."),
        (copy, two, "Player 2's Copy copies Player 1's Domino Repeat."),
    ]
    conceded(leg, winner=0)
    assert history(block)[-1] == "spent"
    assert faults_of(season) == []


def test_a_copy_that_comes_to_nothing_has_it_in_its_history(
    orla: User, season: Season, final: DeathMatch
) -> None:
    """The item that it was aimed at is blocked, and has no line about the Copy."""
    repeat = given(orla, final, to=1)
    block, copy = given(orla, final, to=2, item="block"), given(orla, final, to=2, item="copy")
    for gift, target in ((repeat, None), (block, repeat), (copy, repeat)):
        brought(final, gift, target)
    begun(orla, final)
    assert history(repeat) == ["given", "brought", "blocked"]
    assert (history(block), history(copy)) == (
        ["given", "brought", "acted"], ["given", "brought", "no-effect"],
    )  # fmt: skip
    why = "Player 2's Copy has no effect: Player 1's Domino Repeat is blocked."
    assert copy.history.get(kind="no-effect").words == why
    conceded(leg_of(final), winner=0)
    assert faults_of(season) == []
    archive = season_records(season=season)
    elsewhere()
    again = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert season_records(season=again) == archive
    assert faults_of(again) == []


def test_a_void_match_gives_items_back(orla: User, season: Season, final: DeathMatch) -> None:
    gift = given(orla, final, to=1)
    brought(final, gift)
    conceded(begun(orla, final), winner=0)
    leg_void(acting_user=orla, leg=leg_of(final), why="lost connection", at=START)
    gift.refresh_from_db()
    assert (gift.status, history(gift)) == ("held", ["given", "brought", "spent", "returned"])
    assert leg_of(final).advantage is None
    # Brought again, if they like.
    brought(final, gift)
    leg = begun(orla, final)
    assert leg.match is not None
    assert len(leg.match.items) == 1
    assert faults_of(season) == []


@pytest.mark.parametrize(
    ("home", "away", "advantage"), [(0, 0, None), (1, 0, 0), (0, 1, 1), (1, 2, 1), (1, 1, None)]
)
def test_more_items_for_a_match_of_the_final_give_its_advantage(
    orla: User, final: DeathMatch, home: int, away: int, advantage: int | None
) -> None:
    for number, count in ((1, home), (2, away)):
        for _ in range(count):
            given(orla, final, to=number)
    # Those for another match do not count.
    given(orla, final, to=1, leg=2)
    leg = begun(orla, final)
    assert leg.match is not None
    assert (leg.advantage, leg.match.advantage) == (advantage, advantage)


@pytest.mark.parametrize(
    ("kind", "home", "away", "advantage"),
    [
        ("round-robin", 0, 1, 1),
        ("single-elimination", 2, 1, 0),
        ("swiss", 1, 1, None),
        ("round-robin", 0, 0, None),
    ],
)
def test_more_items_give_the_advantage_in_a_peg_domain_final_of_every_format(
    orla: User, kind: str, home: int, away: int, advantage: int | None
) -> None:
    final = {"ruleset": "peg-domain", "variant": "final"}
    season = running(orla, 4, kind, repertoire=[final])
    met = DeathMatch.objects.filter(round__season=season, home__isnull=False).first()
    assert met is not None
    assert met.home is not None
    assert met.away is not None
    item: dict[str, Any] = {"item": "rapid-removal", "ruleset": "peg-domain"}
    for receiver, count in ((met.home, home), (met.away, away)):
        for _ in range(count):
            item_give(
                acting_user=orla, season=season, receiver=receiver, death_match=met, at=START,
                **item,
            )  # fmt: skip
    sheet = Sheet(season)
    shown = sheet.death_match(met.pk)
    told = leg_facts(sheet, shown, shown.legs[0], orla)
    assert told.leads == {None: "", 0: met.home, 1: met.away}[advantage]
    leg = begun(orla, met)
    assert leg.match is not None
    assert (leg.advantage, leg.match.advantage) == (advantage, advantage)
    assert faults_of(season) == []
    # Played again, it is counted anew.
    leg_void(acting_user=orla, leg=leg, why="an appeal", at=START)
    assert leg_of(met).advantage is None


def test_what_was_not_used_lapses_and_comes_back_with_the_match(
    orla: User, season: Season, final: DeathMatch
) -> None:
    gift = given(orla, final, to=1, leg=3)
    played(orla, final, winner=0)
    played(orla, final, winner=0)
    gift.refresh_from_db()
    assert (gift.status, history(gift)) == ("expired", ["given", "expired"])
    leg_void(acting_user=orla, leg=leg_of(final, 2), why="an appeal", at=START)
    gift.refresh_from_db()
    assert (gift.status, history(gift)[-1]) == ("held", "returned")
    played(orla, final, winner=0)
    death_match_correct(
        acting_user=orla, death_match=final, winner=who(season, 2), why="an appeal", at=START
    )
    gift.refresh_from_db()
    assert gift.status == "expired"
    assert fresh(final).winner == who(season, 2)
    assert faults_of(season) == []


def test_a_change_of_game_drops_what_no_longer_fits(
    orla: User, season: Season, final: DeathMatch
) -> None:
    free = given(orla, final, to=1, leg=None)
    brought(final, free)
    peg: dict[str, Any] = {"ruleset": "peg-domain", "variant": "final"}
    rules_set(acting_user=orla, death_match=final, leg_number=1, at=START, **peg)
    assert not leg_of(final).declarations.exists()
    refused(
        "item.unfit", item_declare, acting_user=account(season, 1), leg=leg_of(final), gift=free
    )
    given(orla, final, to=1, leg=2)
    refused("item.unfit", rules_set, acting_user=orla, death_match=final, leg_number=2, **peg)


def test_an_items_history_cannot_be_rewritten(orla: User, final: DeathMatch) -> None:
    events = ItemEvent.objects.filter(gift=given(orla, final, to=1))
    for act in (lambda: events.update(words="nothing"), events.delete):
        with (
            pytest.raises((InternalError, IntegrityError), match="append-only"),
            transaction.atomic(),
        ):
            act()
