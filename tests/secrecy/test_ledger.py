"""A secret payment leaves no trace for anybody but those who know of it, and balances that are
hidden cannot be worked out from what is shown: on every page, in the API, in the admin site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import URLPattern, reverse

from accounts.models import Announcement, AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from tests.games.support import user_named
from tests.support.depth import some
from tests.tournaments.support import account, after, chosen, organiser_named, running, who
from tournaments import urls
from tournaments.documents.export import season_export
from tournaments.models import (
    Delivery,
    DiscordPost,
    EventNotice,
    LedgerEntry,
    Season,
    SeasonEvent,
    SeasonOrganiser,
)
from tournaments.services.contestants.enrolment import contestant_enrol
from tournaments.services.follows import season_follow
from tournaments.services.ledger.acts import ledger_correct, ledger_give, ledger_grant
from tournaments.services.ledger.stakes import wager_offer
from tournaments.services.seasons import season_cancel

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_token")]

HIDDEN: dict[str, Any] = {
    "currency": True, "start": 3, "payments": "secret", "hidden": True, "tokens": True,
    "tokens_given": True, "stakes": "wager",
}  # fmt: skip
API = ("", "contestants/", "standings/", "bracket/", "rounds/", "items/", "events/",
       "leaderboard/", "records/")  # fmt: skip
NAMED = {"step": "cancel", "round_act": "skip", "match_act": "wager", "leg_act": "void",
         "contestant_act": "withdraw", "application_act": "decline",
         "embedding": "standings", "organiser_act": "remove"}  # fmt: skip


@pytest.fixture
def orla(db: None) -> User:
    return organiser_named("orla")


@pytest.fixture
def season(orla: User) -> Season:
    season = running(orla, 5, trade=HIDDEN)
    chosen(orla, season, ec=1, dmo=2)
    return season


@pytest.fixture
def outsiders(orla: User, season: Season) -> dict[str, Client]:
    """Who must not know: nobody, a contestant, an organiser who plays, a moderator who reads the
    audit log, the organiser of other seasons, and whoever follows this one."""
    playing = organiser_named("playing")
    contestant_enrol(acting_user=orla, season=season, user=playing, at=after(hours=1))
    SeasonOrganiser.objects.create(season=season, user=playing)
    root = User.objects.get(username="root")
    mona = user_named("mona")
    role_grant(acting_user=root, user=mona, role=Role.MODERATOR)
    people = {"nobody": None, "contestant": account(season, 3), "playing": playing,
              "moderator": mona, "rival": organiser_named("rival"),
              "fan": user_named("fan")}  # fmt: skip
    season_follow(acting_user=User.objects.get(username="fan"), season=season, at=after(hours=1))
    clients = {}
    for name, user in people.items():
        clients[name] = Client()
        if user is not None:
            clients[name].force_login(user)
    return clients


def addresses(season: Season) -> Iterator[str]:
    """Every address of the season, and of the lists that mention it."""
    row = season.rounds.latest("number").death_matches.get()
    leg = row.legs.earliest("number")
    known = {"slug": season.slug, "number": 1, "leg_id": leg.pk, "token": "x" * 22,
             "digest": "0" * 64, "width": 80}  # fmt: skip
    for route in urls.urlpatterns:
        assert isinstance(route, URLPattern)
        of_person = route.name in (
            "contestant_calendar", "contestant_act", "contestant_picture", "challenge_enter"
        )  # fmt: skip
        pk = who(season, 3).pk if of_person else row.pk
        given = known | {"pk": pk, "name": NAMED.get(route.name or "", "")}
        wanted = {name: given[name] for name in route.pattern.converters}
        yield reverse(f"tournaments:{route.name}", kwargs=wanted)
    yield from (f"/api/v1/seasons/{season.slug}/{part}" for part in API)
    yield from (f"/seasons/{season.slug}/desk/webhooks/", "/", "/u/player1/")
    yield from (f"/admin/accounts/auditentry/?q={word}" for word in ("", "player1", "ledger"))
    for model in ("season", "contestant", "seasonevent", "deathmatch"):
        yield f"/admin/tournaments/{model}/"


def looked_at(
    clients: dict[str, Client], season: Season, at_most: int = 1000
) -> dict[tuple[str, str], Any]:
    """What each reads at so many of the addresses, spread evenly; at all of them in a whole run."""
    found = {}
    for name, client in clients.items():
        for address in some(list(addresses(season)), at_most):
            answer = client.get(address)
            body = b"" if answer.streaming else answer.content
            head = {key: answer.headers.get(key) for key in ("ETag", "Last-Modified", "Location")}
            found[name, address] = (answer.status_code, head, body)
    return found


def rows() -> list[Any]:
    """What is written for others to hear of."""
    own = Announcement.objects.exclude(user__username__in=["player1", "player2"])
    tables = (SeasonEvent, EventNotice, Delivery, DiscordPost)
    season = Season.objects.values().get()
    return [season, own.count(), *(table.objects.count() for table in tables)]


def test_a_secret_payment_leaves_no_trace(
    orla: User, season: Season, outsiders: dict[str, Client]
) -> None:
    """Twins: the season before and after it, at the same instant."""
    with time_machine.travel(after(hours=2), tick=False):
        looked_at(outsiders, season)  # whatever a first look leaves behind
        before, told = looked_at(outsiders, season), rows()
        assert sum(answer[0] == 200 for answer in before.values()) > 100
        document = season_export(season=season, reader=User.objects.get(username="playing"))
        for unit in ("currency", "currency"):
            ledger_give(
                acting_user=account(season, 1), season=season, payee=who(season, 2), amount=1,
                unit=unit, secret=True, note="between us",
            )  # fmt: skip
        entry = LedgerEntry.objects.latest("pk")
        ledger_correct(acting_user=orla, entry=entry, why="a slip")
        assert rows() == told
        reader = User.objects.get(username="playing")
        assert season_export(season=season, reader=reader) == document
        after_it = looked_at(outsiders, season)
    assert [key for key, answer in before.items() if answer != after_it[key]] == []
    # Those whom it concerns see it, and organisers who do not play; it is no empty test.
    address = f"/seasons/{season.slug}/purse/"
    for user in (account(season, 1), account(season, 2), orla):
        client = Client()
        client.force_login(user)
        assert b"between us" in client.get(address).content, user
    assert Announcement.objects.filter(user=account(season, 2), words__contains="in secret")


def test_no_gap_in_numbers_tells_of_what_is_secret(orla: User, season: Season) -> None:
    """Somebody who pays before and after it sees the same as if there had been nothing between."""
    client = Client()
    client.force_login(account(season, 3))
    give: dict[str, Any] = {"season": season, "amount": 1}
    seen = []
    for between in (0, 2):
        for _ in range(2):
            ledger_give(acting_user=account(season, 3), payee=who(season, 4), **give)
            for _ in range(between):
                ledger_give(
                    acting_user=account(season, 1), payee=who(season, 2), secret=True,
                    **give,
                )  # fmt: skip
                ledger_give(
                    acting_user=account(season, 2), payee=who(season, 1), secret=True,
                    **give,
                )  # fmt: skip
            ledger_grant(acting_user=orla, contestants=[who(season, 3)], why="won", **give)
        page = client.get(f"/seasons/{season.slug}/purse/")
        seen.append([each.number for each, _ in page.context["entries"]])
    assert seen == [[5, 4, 3, 2, 1], [9, 8, 7, 6, 5, 4, 3, 2, 1]]


def test_nobody_works_out_what_is_hidden(
    orla: User, season: Season, outsiders: dict[str, Client]
) -> None:
    """Public acts are told without how much: two seasons that differ in amounts look alike."""
    seen = []
    for amount in (1, 2):
        with time_machine.travel(after(hours=2), tick=False):
            ledger_give(
                acting_user=account(season, 1), season=season, payee=who(season, 2),
                amount=amount,
            )  # fmt: skip
            ledger_grant(
                acting_user=orla, season=season, contestants=[who(season, 4)], amount=amount,
                why=f"for {amount}",
            )  # fmt: skip
        given, won = season.events.order_by("-pk")[:2][::-1]
        seen.append([(each.words, each.data) for each in (given, won)])
    assert seen[0] == seen[1]
    assert "garnets" in str(seen[0])
    for name, client in outsiders.items():
        text = client.get(f"/seasons/{season.slug}/purse/").content.decode()
        assert "hidden until the season is over" in text, name
        assert "for 1" not in text, name
    # No entry of the log is there for a moderator.
    log = outsiders["moderator"].get("/admin/accounts/auditentry/?action=ledger.grant")
    assert b"for 1" not in log.content
    assert AuditEntry.objects.filter(action="ledger.grant").count() == 2


def test_everybody_sees_all_once_it_is_over(
    orla: User, season: Season, outsiders: dict[str, Client]
) -> None:
    ledger_give(
        acting_user=account(season, 1), season=season, payee=who(season, 2), amount=1,
        secret=True, note="between us",
    )  # fmt: skip
    season_cancel(acting_user=orla, season=season, why="No time.")
    for client in outsiders.values():
        assert b"between us" in client.get(f"/seasons/{season.slug}/purse/").content
    reader = User.objects.get(username="playing")
    assert b"between us" in season_export(season=Season.objects.get(), reader=reader)


def test_what_somebody_would_wager_is_for_both_and_who_sees_the_ledger(
    orla: User, season: Season, outsiders: dict[str, Client]
) -> None:
    row = season.rounds.get().death_matches.get()
    wager_offer(acting_user=account(season, 1), death_match=row, amount=2)
    own = f"{row.get_absolute_url()}wager/"
    desk = f"/seasons/{season.slug}/desk/matches/{row.pk}/wager/"
    for name, client in outsiders.items():
        for address in (own, desk):
            assert client.get(address).status_code in (302, 403, 404), (name, address)
    for user, address in ((account(season, 2), own), (orla, desk)):
        client = Client()
        client.force_login(user)
        text = client.get(address).content.decode()
        assert "Player 1</dt>" in text, address
        assert "2</dd>" in text, address
