"""What contestants write to each other with what they give: who may, who reads it, and that it can
be reported."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.test import Client

from accounts.blocking.services import block_create
from accounts.models import Announcement, Report, User
from accounts.moderation.reports import queue_of
from accounts.moderation.sanctions import user_mute
from accounts.roles import Role
from accounts.services import role_grant
from tests.games.support import user_named
from tests.pages.support import words
from tests.tournaments.support import (
    START,
    WARS,
    account,
    down_to_two,
    refused,
    running,
    who,
)
from tournaments.formats.elimination.final import final_open
from tournaments.models import LedgerEntry, Season
from tournaments.services.items.gifts import item_give
from tournaments.services.ledger.acts import ledger_give
from tournaments.services.seasons import season_cancel

HIDDEN: dict[str, Any] = {"currency": True, "start": 3, "payments": "secret", "hidden": True}
FOLDED = "A note of somebody you have blocked"


def paid(season: Season, payer: int, payee: int, note: str = "") -> LedgerEntry:
    return ledger_give(
        acting_user=account(season, payer), season=season, payee=who(season, payee), amount=1,
        note=note, secret=True,
    )  # fmt: skip


def purse_of(season: Season, user: User | None) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get(f"/seasons/{season.slug}/purse/").content.decode()


def with_role(user: User, role: Role) -> User:
    role_grant(acting_user=User.objects.get(username="root"), user=user, role=role)
    return User.objects.get(pk=user.pk)


def muted(user: User) -> None:
    root = User.objects.get(username="root")
    user_mute(acting_user=root, user=user, reason="Rude.", until=None)


def test_who_is_muted_gives_without_words(orla: User) -> None:
    season = running(orla, 4, trade=HIDDEN)
    client = Client()
    client.force_login(account(season, 1))
    form = f"/seasons/{season.slug}/purse/give/"
    assert 'name="note"' in client.get(form).text
    muted(account(season, 1))
    refused("ledger.note.muted", partial(paid, season, 1, 2, "You fool."))
    assert not LedgerEntry.objects.filter(kind="given").exists()
    paid(season, 1, 2)
    shown = client.get(form)
    assert 'name="note"' not in shown.text
    assert "You pay without a note. You are muted" in words(shown)


def test_who_is_muted_gives_items_without_words(orla: User) -> None:
    season = down_to_two(orla)
    final = final_open(acting_user=orla, season=season, best_of=3, games=[WARS], at=START)
    give: dict[str, Any] = {
        "acting_user": account(season, 3), "season": season, "receiver": who(season, 1),
        "death_match": final, "leg_number": 2, "item": "domino-repeat", "ruleset": "domino-wars",
    }  # fmt: skip
    muted(account(season, 3))
    refused("item.note.muted", item_give, **give, note="The other is a fool.")
    assert item_give(**give).note == ""


def test_what_somebody_writes_does_not_reach_who_has_blocked_them(orla: User) -> None:
    season = running(orla, 4, trade=HIDDEN)
    one, two = account(season, 1), account(season, 2)
    block_create(acting_user=two, user=one)
    paid(season, 1, 2, "You fool.")  # who is blocked learns nothing of it
    told = Announcement.objects.get(user=two, kind="contestant.purse")
    assert told.words == "Autumn: Player 1 gives you 1 garnet in secret."
    assert FOLDED in purse_of(season, two)
    assert FOLDED not in purse_of(season, one)
    assert "You fool." in purse_of(season, one)
    # Nor do they write to whom they have blocked.
    refused("ledger.note.blocked", partial(paid, season, 2, 1, "Nor you."))
    paid(season, 2, 1)
    paid(season, 1, 3, "Hello.")
    assert Announcement.objects.filter(user=account(season, 3), words__contains="Hello.").exists()


def test_those_who_see_a_note_can_report_it(orla: User, cleo: User, client: Client) -> None:
    season = running(orla, 4, trade=HIDDEN)
    entry = paid(season, 1, 2, "You fool.")
    silent = paid(season, 2, 1)
    form = f"/accounts/report/tournaments.ledgerentry/{entry.pk}/"
    said = {"reason": "abuse", "words": "Look."}
    one, two, three = (account(season, number) for number in (1, 2, 3))
    # The writer, who sees nothing of it, and strangers report nothing; nor is there a note.
    for other in (one, three, cleo):
        client.force_login(other)
        assert form not in purse_of(season, other)
        assert client.get(form).status_code == 404
        assert client.post(form, said).status_code == 404
    client.force_login(two)
    for nothing in (silent.pk, LedgerEntry.objects.filter(kind="start")[0].pk, "x", "9" * 30):
        address = f"/accounts/report/tournaments.ledgerentry/{nothing}/"
        assert client.get(address).status_code == 404
    assert form in purse_of(season, two)
    assert "You fool." in client.get(form).text
    assert client.post(form, said).status_code == 302
    report = Report.objects.get()
    assert (report.about, report.reporter) == (one, two)
    assert report.context["lines"][0]["text"] == "You fool."
    assert report.url == f"/seasons/{season.slug}/purse/"
    # Who is in the season works on no report of it, nor reads of a secret there.
    mona = with_role(user_named("mona"), Role.MODERATOR)
    assert list(queue_of(mona)) == [report]
    assert list(queue_of(with_role(three, Role.MODERATOR))) == []
    # Once it is over everybody sees the note, and can report it.
    season_cancel(acting_user=orla, season=season, why="No time.")
    assert form in purse_of(season, cleo)
    assert form not in purse_of(season, None)
    client.force_login(cleo)
    assert client.get(form).status_code == 200


def test_a_note_beside_an_item_can_be_reported(orla: User, cleo: User, client: Client) -> None:
    season = down_to_two(orla)
    final = final_open(acting_user=orla, season=season, best_of=3, games=[WARS], at=START)
    gift = item_give(
        acting_user=account(season, 3), season=season, receiver=who(season, 1),
        death_match=final, leg_number=2, item="domino-repeat", ruleset="domino-wars",
        note="The other is a fool.",
    )  # fmt: skip
    form = f"/accounts/report/tournaments.gift/{gift.pk}/"
    for reader, can in ((account(season, 2), True), (cleo, True), (account(season, 3), False)):
        client.force_login(reader)
        assert (form in client.get(f"/seasons/{season.slug}/items/").text) is can
        assert client.get(form).status_code == (200 if can else 404)
    client.force_login(cleo)
    assert client.post(form, {"reason": "abuse", "words": "Look."}).status_code == 302
    report = Report.objects.get()
    assert report.about == account(season, 3)
    assert report.context["lines"][0]["text"] == "The other is a fool."
    mona = with_role(user_named("mona"), Role.MODERATOR)
    client.force_login(mona)
    page = client.get(f"/admin/accounts/report/{report.pk}/change/").text
    assert f"/admin/tournaments/gift/{gift.pk}/change/" in page
    assert list(queue_of(with_role(account(season, 2), Role.MODERATOR))) == []
