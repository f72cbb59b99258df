"""An item that is given in secret leaves no trace for anybody but its giver, its receiver and the
organisers who do not play, until it is used or the season is over: on every page, in the API, in
the admin site, in documents and dumps, and in what others are told."""

from __future__ import annotations

import re
from typing import Any

import pytest
import time_machine
from django.contrib.auth import get_user
from django.test import Client

from accounts.models import Announcement, AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from core.refusals import allowed
from games.services.arrivals import match_attend
from games.services.waking import match_wake
from tests.games.support import committing, user_named
from tests.pages.support import words
from tests.secrecy.test_ledger import addresses, looked_at
from tests.support import depth
from tests.tournaments.support import (
    START,
    WARS,
    account,
    after,
    begun,
    conceded,
    down_to_two,
    leg_of,
    organiser_named,
    refused,
    who,
)
from tests.tournaments.test_documents import elsewhere
from tests.tournaments.test_items import REPEAT, TIE, brought
from tournaments import audience
from tournaments.documents.export import season_export, season_records
from tournaments.documents.restore import season_import
from tournaments.dumps.tables import items as dumped
from tournaments.formats.elimination.final import final_open
from tournaments.formats.registry import format_of
from tournaments.invariants import faults_of
from tournaments.items.catalogue import item_of
from tournaments.models import (
    DeathMatch,
    Delivery,
    DiscordPost,
    EventNotice,
    Gift,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.notices import event_announce
from tournaments.reading.sheet import Sheet
from tournaments.rights import OF_HELPERS
from tournaments.services.contestants.departures import contestant_replace
from tournaments.services.items.declarations import item_declare, must_be_a_target
from tournaments.services.items.gifts import FOR_ITS_HOLDER, item_give
from tournaments.services.items.returns import item_take_back
from tournaments.services.legs import leg_start, leg_unseal, ms, rules_set
from tournaments.services.seasons import season_cancel, season_update
from tournaments.views.public import leg_facts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_token")]

SECRET = "between us"
ADVANTAGE = re.compile(r"items for this match so far(?:, as far as is known)?")


@pytest.fixture
def orla(db: None) -> User:
    return organiser_named("orla")


@pytest.fixture
def season(orla: User) -> Season:
    """Player 3 is out; who gives chooses whether it is a secret."""
    made = down_to_two(orla)
    return season_update(acting_user=orla, season=made, changes={"secret_gifts": "choice"})


@pytest.fixture
def final(orla: User, season: Season) -> DeathMatch:
    """Player 1 (seat 0) against Player 2, the best of three in Domino Wars."""
    return final_open(acting_user=orla, season=season, best_of=3, games=[WARS], at=START)


@pytest.fixture
def outsiders(season: Season, final: DeathMatch) -> dict[str, Client]:
    """Who must not know: nobody, the other finalist, who runs the season besides, a moderator and
    an administrator who read the log, the organiser of other seasons, and helpers, whatever they
    help with: one with everything, and in a whole run one with each."""
    root = User.objects.get(username="root")
    rival = account(season, 2)
    role_grant(acting_user=root, user=rival, role=Role.ORGANISER)
    SeasonOrganiser.objects.create(season=season, user=rival)
    mona = user_named("mona")
    role_grant(acting_user=root, user=mona, role=Role.MODERATOR)
    people = {"nobody": None, "finalist": rival, "moderator": mona,
              "rival": organiser_named("rival")}  # fmt: skip
    helping = {"everything": list(OF_HELPERS)}
    if depth.whole:
        helping |= {right: [right] for right in OF_HELPERS}
    for name, rights in helping.items():
        people[name] = helper = user_named(f"for{name}")
        SeasonOrganiser.objects.create(season=season, user=helper, role="helper", rights=rights)
    clients = {}
    for name, user in people.items():
        clients[name] = Client()
        if user is not None:
            clients[name].force_login(User.objects.get(pk=user.pk))
    return clients


def give(season: Season, final: DeathMatch, **more: Any) -> Gift:
    given: dict[str, Any] = {
        "acting_user": account(season, 3), "season": season, "receiver": who(season, 1),
        "death_match": final, "leg_number": 1, "note": SECRET, "secret": True, **REPEAT,
    }  # fmt: skip
    return item_give(**given | more)


def rows() -> list[Any]:
    """What is written for others to hear of."""
    own = Announcement.objects.exclude(user__username="player1")
    tables = (SeasonEvent, EventNotice, Delivery, DiscordPost)
    return [Season.objects.values().get(), own.count(), *(t.objects.count() for t in tables)]


def documents(season: Season) -> list[Any]:
    reader = User.objects.get(username="player2")
    return [season_export(season=season, reader=reader), list(dumped())]


def page_of(season: Season, user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.get(f"/seasons/{season.slug}/items/").text


# -- before it is used ---------------------------------------------------------------------------


def test_a_secret_gift_leaves_no_trace(
    orla: User, season: Season, final: DeathMatch, outsiders: dict[str, Client]
) -> None:
    """Twins: the season before and after it, at the same instant."""
    give(season, final, secret=False, leg_number=2, note="for all")
    more = ("/admin/tournaments/gift/", "/admin/accounts/auditentry/?action=item.give")
    with time_machine.travel(after(hours=2), tick=False):
        looked_at(outsiders, season)  # whatever a first look leaves behind

        def seen() -> Any:
            own = {
                (name, address): client.get(address).content
                for name, client in outsiders.items()
                for address in more
            }
            return looked_at(outsiders, season) | own

        before, told, files = seen(), rows(), documents(season)
        assert len(list(addresses(season))) > 40
        taken = give(season, final, item="tie-advantage", note="a slip")
        item_take_back(acting_user=orla, gift=taken, why="Another one.")
        gift = give(season, final)
        assert rows() == told
        assert documents(season) == files
        after_it = seen()
    assert [key for key, answer in before.items() if answer != after_it[key]] == []
    # Those whom it concerns see it, and organisers who do not play; it is no empty test.
    for user in (account(season, 1), account(season, 3), orla):
        assert SECRET in page_of(season, user)
        assert SECRET.encode() in season_export(season=season, reader=user)
    assert "for all" in page_of(season, account(season, 2))
    heard = Announcement.objects.filter(user=account(season, 1), kind="contestant.items")
    assert ["in secret" in each.words for each in heard.order_by("pk")] == [True, False, True]
    withheld = AuditEntry.objects.filter(audience.gift_actions(orla), action="item.give")
    assert str(gift.pk) in withheld.values_list("target_id", flat=True)


def test_whoever_takes_a_place_over_is_told_what_secrets_come_with_it(
    orla: User, season: Season, final: DeathMatch
) -> None:
    give(season, final)
    give(season, final, secret=False, leg_number=2, note="for all")
    heir = user_named("heir")
    contestant_replace(
        acting_user=orla, contestant=who(season, 1), user=heir, why="Ill.", at=after(hours=1)
    )
    told = Announcement.objects.filter(kind="contestant.items", user=heir)
    words = "With Player 1's place you have Domino Repeat, which was given in secret."
    assert [each.words for each in told] == [f"{words} {FOR_ITS_HOLDER}"]
    assert SECRET in page_of(season, heir)


def test_the_other_finalist_can_neither_aim_at_it_nor_take_it_back(
    season: Season, final: DeathMatch, outsiders: dict[str, Client]
) -> None:
    gift = give(season, final)
    rival = User.objects.get(username="player2")
    block = give(season, final, receiver=who(season, 2), leg_number=2, item="block", ruleset="")
    Gift.objects.filter(pk=block.pk).update(leg_number=1)
    refused(
        "item.target", item_declare, acting_user=rival, leg=leg_of(final), gift=block, target=gift
    )
    refused("item.none", item_take_back, acting_user=rival, gift=gift, why="No.")
    back = f"/seasons/{season.slug}/desk/items/{gift.pk}/back/"
    assert outsiders["finalist"].get(back).status_code == 404
    assert outsiders["finalist"].get(back.replace(str(gift.pk), "999")).status_code == 404
    # Its holder can copy it.
    leg = leg_of(final)
    copy = Gift(receiver=who(season, 1), item="copy", ruleset="")

    assert allowed(must_be_a_target, leg, 0, item_of(copy.item), gift)


def test_what_is_played_can_be_chosen_as_if_there_were_none(
    season: Season, final: DeathMatch, outsiders: dict[str, Client], orla: User
) -> None:
    give(season, final)
    peg: dict[str, Any] = {"ruleset": "peg-domain", "variant": "final"}
    refused("item.unfit", rules_set, acting_user=orla, death_match=final, leg_number=1, **peg)
    Season.objects.filter(pk=season.pk).update(ruleset_choice="lower-seed")
    seen = audience.gifts_visible_to(season, User.objects.get(username="player2"))
    assert not Gift.objects.filter(seen).exists()


def test_who_leads_is_told_by_what_is_known(
    orla: User, season: Season, final: DeathMatch, outsiders: dict[str, Client]
) -> None:
    give(season, final)
    address = final.get_absolute_url()
    owner = Client()
    owner.force_login(account(season, 1))
    for client, leads in ((outsiders["finalist"], ""), (owner, who(season, 1))):
        page = client.get(address)
        assert page.context["legs"][0].leads == leads
        told = ADVANTAGE.findall(words(page))
        assert len(told) == 3
        assert all(each.endswith(", as far as is known") for each in told)
    # Who knows of all of them is told how it stands, and so is everybody where there can be none.
    all_known = Client()
    all_known.force_login(orla)
    assert "as far as is known" not in words(all_known.get(address))
    season_update(acting_user=orla, season=season, changes={"secret_gifts": "never"})
    told = ADVANTAGE.findall(words(outsiders["finalist"].get(address)))
    assert told == ["items for this match so far"] * 3


def test_that_it_is_brought_changes_nothing_for_who_does_not_know_of_it(
    orla: User, season: Season, final: DeathMatch, outsiders: dict[str, Client]
) -> None:
    """Beside an item that everybody knows of, brought by the same and by the other finalist."""
    known = give(season, final, secret=False, note="for all")
    theirs = give(season, final, receiver=who(season, 2), leg_number=2, secret=False)
    Gift.objects.filter(pk=theirs.pk).update(leg_number=1)
    theirs.refresh_from_db()
    gift = give(season, final, leg_number=3)
    Gift.objects.filter(pk=gift.pk).update(leg_number=1)
    gift.refresh_from_db()
    brought(final, known)
    brought(final, theirs)
    page, api = final.get_absolute_url(), f"/api/v1/death-matches/{final.pk}/"
    with time_machine.travel(after(hours=2), tick=False):

        def seen() -> Any:
            own = {
                (name, address): (answer.status_code, answer.content)
                for name, client in outsiders.items()
                for address in (page, api)
                for answer in [client.get(address)]
            }
            return looked_at(outsiders, season, at_most=25) | own

        seen()  # whatever a first look leaves behind
        before = seen()
        brought(final, gift)
        after_it = seen()
    assert [key for key, answer in before.items() if answer != after_it[key]] == []
    assert {after_it[name, page][0] for name in outsiders} == {200}

    def sides(user: Any) -> list[Any]:
        sheet = Sheet(Season.objects.get(pk=season.pk))
        found = sheet.death_match(final.pk)
        shown = leg_facts(sheet, found, found.legs[0], user).brought
        return [side and [each.gift for each in side] for side in shown]

    for name, client in outsiders.items():
        shown = [theirs] if name == "finalist" else None
        assert sides(get_user(client)) == [None, shown], name
    for user, own in ((account(season, 1), [known, gift]), (account(season, 3), None),
                      (orla, None)):  # fmt: skip
        assert sides(user) == [own, None]
        reader = Client()
        reader.force_login(user)
        assert [reader.get(each).status_code for each in (page, api)] == [200, 200]


def test_who_knows_of_it_finds_its_page_where_items_are_no_part_of_the_format(
    orla: User, season: Season, final: DeathMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody knows of an item but in secret."""
    monkeypatch.setattr(type(format_of(season.format)), "gifts", False)
    Gift.objects.all().delete()
    known = {name: account(season, seat) for name, seat in (("holder", 1), ("giver", 3))}
    known["organiser"] = orla

    def shown(user: User) -> bool:
        client = Client()
        client.force_login(user)
        tab = f'season-tabs__tab" href="/seasons/{season.slug}/items/"'
        return tab in client.get(season.get_absolute_url()).text

    assert not any(map(shown, known.values()))
    Gift.objects.create(
        season=season, giver=who(season, 3), receiver=who(season, 1), secret=True, given_by=orla,
        item="tie-advantage", ruleset="domino-wars",
    )  # fmt: skip
    assert all(map(shown, known.values()))
    assert not shown(account(season, 2))


@pytest.mark.parametrize("comes", [True, False])
def test_the_advantage_it_gives_is_sealed_while_the_match_waits(
    orla: User, season: Season, final: DeathMatch, outsiders: dict[str, Client], comes: bool
) -> None:
    give(season, final)
    with committing():
        leg_start(acting_user=orla, leg=leg_of(final), at=START)
    leg = leg_of(final)
    assert leg.waits

    def told() -> list[Any]:
        found = DeathMatch.objects.get(pk=final.pk).legs.order_by("number", "attempt")[0]
        assert found.match is not None
        page = f"/api/v1/death-matches/{final.pk}/"
        answers = [client.get(page).json()["legs"][0] for client in outsiders.values()]
        shown = [answer["advantage"] for answer in answers]
        return [found.advantage, found.match.advantage, *shown]

    assert set(told()) == {None}
    for client in outsiders.values():
        assert client.get(final.get_absolute_url()).context["legs"][0].leads == ""
    with committing():
        if comes:
            match_attend(match_id=leg.match_id or 0, there=(True, True), at=ms(after(seconds=30)))
        else:
            match_wake(match_id=leg.match_id or 0, at=ms(after(minutes=10)))
    if comes:
        leg_unseal(match_id=leg.match_id or 0, at=after(seconds=30))
    assert set(told()) == ({0} if comes else {None})


# -- when it is told -----------------------------------------------------------------------------


def test_it_is_told_when_it_is_used(
    orla: User, season: Season, final: DeathMatch, outsiders: dict[str, Client]
) -> None:
    gift, kept = give(season, final), give(season, final, leg_number=2, note="kept back")
    brought(final, gift)
    told = Announcement.objects.filter(user=account(season, 1)).count()
    begun(orla, final)
    gift.refresh_from_db()
    assert gift.revealed_at is not None
    event = season.events.get(kind="item.given")
    assert event.words.startswith("Player 3 gives Player 1 Domino Repeat in secret for ")
    with committing():
        event_announce(event.pk)
    assert Announcement.objects.filter(user=account(season, 1), words=event.words).count() == 0
    assert Announcement.objects.filter(user=account(season, 1)).count() >= told
    for client in outsiders.values():
        shown = client.get(f"/seasons/{season.slug}/items/").text
        assert SECRET in shown
        assert "kept back" not in shown
    assert faults_of(season) == []
    kept.refresh_from_db()
    assert kept.is_hidden


def test_it_is_told_when_the_season_is_over(
    orla: User, season: Season, final: DeathMatch, outsiders: dict[str, Client]
) -> None:
    give(season, final)
    begun(orla, final)
    for leg in (1, 2):
        if leg == 2:
            begun(orla, DeathMatch.objects.get(pk=final.pk), number=2)
        conceded(leg_of(final, leg), winner=1)
    assert Season.objects.get(pk=season.pk).status == "finished"
    assert Gift.objects.get().status == "expired"
    assert Gift.objects.get().revealed_at is not None
    assert season.events.filter(kind="item.given").count() == 1
    for client in outsiders.values():
        assert SECRET in client.get(f"/seasons/{season.slug}/items/").text
    assert SECRET in str(list(dumped()))


def test_it_is_told_when_the_season_is_called_off(
    orla: User, season: Season, final: DeathMatch, outsiders: dict[str, Client]
) -> None:
    give(season, final)
    season_cancel(acting_user=orla, season=season, why="No time.")
    for client in outsiders.values():
        assert SECRET in client.get(f"/seasons/{season.slug}/items/").text
    assert "item.give" in outsiders["moderator"].get("/admin/accounts/auditentry/").text


# -- where it may be -----------------------------------------------------------------------------


def test_the_season_says_whether_it_may_be_a_secret(
    orla: User, season: Season, final: DeathMatch
) -> None:
    granted: dict[str, Any] = {
        "acting_user": orla, "season": season, "receiver": who(season, 1), **REPEAT,
    }  # fmt: skip
    refused("item.not-secret", item_give, **granted, secret=True)
    assert not item_give(**granted).secret
    assert not give(season, final, secret=None, leg_number=1).secret
    season_update(acting_user=orla, season=season, changes={"secret_gifts": "always"})
    assert give(season, final, secret=None, leg_number=2).secret
    assert not item_give(**granted).secret
    season_update(acting_user=orla, season=season, changes={"secret_gifts": "never"})
    given: dict[str, Any] = {
        "acting_user": account(season, 3), "season": season, "receiver": who(season, 1),
        "death_match": final, "leg_number": 3, **TIE,
    }  # fmt: skip
    refused("item.not-secret", item_give, **given, secret=True)
    refused(
        "season.secret-gifts", season_update, acting_user=orla, season=season,
        changes={"secret_gifts": "sometimes"},
    )  # fmt: skip


def test_its_giver_ticks_it_on_the_page(season: Season, final: DeathMatch, orla: User) -> None:
    client = Client()
    client.force_login(account(season, 3))
    page = f"/seasons/{season.slug}/items/give/"
    assert 'name="secret"' in client.get(page).text
    sent = {
        "item": "domino-repeat@domino-wars", "receiver": who(season, 1).pk,
        "death_match": final.pk, "leg_number": 1, "note": SECRET, "secret": "on",
    }  # fmt: skip
    assert client.post(page, sent).status_code == 302
    assert Gift.objects.get().is_hidden
    season_update(acting_user=orla, season=season, changes={"secret_gifts": "never"})
    assert 'name="secret"' not in client.get(page).text


@pytest.mark.parametrize("rule", ["never", "choice", "always"])
def test_the_form_says_of_its_gift_what_is_so(
    rule: str, season: Season, final: DeathMatch, orla: User
) -> None:
    season_update(acting_user=orla, season=season, changes={"secret_gifts": rule})
    client = Client()
    client.force_login(account(season, 3))
    page = words(client.get(f"/seasons/{season.slug}/items/give/"))
    public = ("It is public from whom it comes.", "Public, beside the item.")
    unless = ("unless you make it a secret.", "Beside the item: public, unless it is a secret.")
    secret = ("It is a secret: only you,", "Beside the item. Only who gives it,")
    said = {"never": public, "choice": unless, "always": secret}
    for when, sentences in said.items():
        assert [each in page for each in sentences] == [when == rule] * 2


def test_its_holder_is_told_who_knows_of_it(season: Season, final: DeathMatch) -> None:
    give(season, final)
    heard = Announcement.objects.get(user=account(season, 1), kind="contestant.items")
    assert heard.words.endswith(FOR_ITS_HOLDER)
    assert "only who gave or entered it and organisers who do not play know" in heard.words


def test_a_document_takes_it_along_for_those_who_know(
    orla: User, season: Season, final: DeathMatch
) -> None:
    give(season, final)
    archive = season_records(season=season, reader=orla)
    elsewhere()
    made = season_import(acting_user=orla, data=archive, match_accounts=True)
    assert made.secret_gifts == "choice"
    assert Gift.objects.get(season=made).is_hidden
    assert season_records(season=made, reader=orla) == archive
