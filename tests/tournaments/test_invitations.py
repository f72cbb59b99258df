"""Links by which people enter a season by themselves: whom they let in, until when, and who sees
them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import AuditEntry, User
from tests.games.support import user_named
from tests.pages.support import words
from tests.tournaments.support import GAME, START, enrolled, refused
from tournaments.lifecycle import ContestantStatus
from tournaments.models import Contestant, Season, SeasonInvitation
from tournaments.services.contestants.departures import contestant_withdraw
from tournaments.services.contestants.invitations import (
    LASTS_MAX,
    OPEN_MAX,
    invitation_accept,
    invitation_make,
    invitation_revoke,
)
from tournaments.services.seasons import season_archive, season_cancel, season_create
from tournaments.services.starts import season_start

LATER = START + timedelta(days=1)


@pytest.fixture
def season(orla: User) -> Season:
    return enrolled(orla, 0)


@pytest.fixture
def link(orla: User, season: Season) -> SeasonInvitation:
    return invitation_make(acting_user=orla, season=season, limit=2, expires_at=LATER, at=START)


def anybody(number: int) -> User:
    return user_named(f"guest{number}", display_name="")


# -- who gets in ---------------------------------------------------------------------------------


def test_whoever_has_the_link_enters_until_it_is_full(
    orla: User, season: Season, link: SeasonInvitation
) -> None:
    one, two, three = (anybody(number) for number in range(3))
    (first,) = invitation_accept(acting_user=one, invitation=link, at=START).contestants
    assert (first.season, first.invitation, first.status) == (season, link, "enrolled")
    refused("contestant.twice", invitation_accept, acting_user=one, invitation=link, at=START)
    (second,) = invitation_accept(acting_user=two, invitation=link, at=START).contestants
    refused("invitation.full", invitation_accept, acting_user=three, invitation=link, at=START)
    # Somebody who leaves gives their place back, and may come again as long as it is free.
    contestant_withdraw(acting_user=two, contestant=second, why="", at=START)
    invitation_accept(acting_user=two, invitation=link, at=START)
    contestant_withdraw(acting_user=two, contestant=fresh(second), why="", at=START)
    invitation_accept(acting_user=three, invitation=link, at=START)
    refused("invitation.full", invitation_accept, acting_user=two, invitation=link, at=START)
    assert season.contestants.exclude(status=ContestantStatus.WITHDRAWN).count() == 2


def fresh(contestant: Contestant) -> Contestant:
    return Contestant.objects.get(pk=contestant.pk)


def test_it_lets_nobody_in_once_it_has_expired_or_was_withdrawn(
    orla: User, season: Season, link: SeasonInvitation
) -> None:
    ada = anybody(1)
    just_before = LATER - timedelta(milliseconds=1)
    refused("invitation.expired", invitation_accept, acting_user=ada, invitation=link, at=LATER)
    invitation_accept(acting_user=ada, invitation=link, at=just_before)
    invitation_revoke(acting_user=orla, invitation=link, at=START)
    ben = anybody(2)
    refused("invitation.revoked", invitation_accept, acting_user=ben, invitation=link, at=START)
    refused("invitation.revoked", invitation_revoke, acting_user=orla, invitation=link)
    assert season.contestants.count() == 1  # who came by it stays
    assert set(AuditEntry.objects.values_list("action", flat=True)) >= {
        "invitation.make", "invitation.revoke", "contestant.enrol",
    }  # fmt: skip


def test_it_lets_nobody_in_once_the_season_has_begun(orla: User) -> None:
    season = enrolled(orla, 4)
    link = invitation_make(acting_user=orla, season=season, at=START)
    ada = anybody(1)
    season_start(acting_user=orla, season=season, at=START)
    refused("enrolment.closed", invitation_accept, acting_user=ada, invitation=link, at=START)
    refused("enrolment.closed", invitation_make, acting_user=orla, season=season, at=START)
    season_cancel(acting_user=orla, season=season, why="No time.", at=START)
    refused("season.over", invitation_accept, acting_user=ada, invitation=link, at=START)
    season_archive(acting_user=orla, season=season, at=START)
    refused("season.archived", invitation_accept, acting_user=ada, invitation=link, at=START)
    refused("season.archived", invitation_revoke, acting_user=orla, invitation=link, at=START)


# -- making links --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("invitation.limit", {"limit": 0}),
        ("invitation.limit", {"limit": 501}),
        ("invitation.note.too-long", {"note": "n" * 81}),
        ("invitation.expiry", {"expires_at": START}),
        ("invitation.expiry", {"expires_at": START + LASTS_MAX + timedelta(seconds=1)}),
    ],
)
def test_what_a_link_cannot_be(orla: User, season: Season, code: str, how: dict[str, Any]) -> None:
    refused(code, invitation_make, acting_user=orla, season=season, at=START, **how)


def test_only_organisers_make_and_withdraw_links(
    orla: User, oscar: User, season: Season, link: SeasonInvitation
) -> None:
    for stranger in (oscar, anybody(1)):
        refused("season.not-organiser", invitation_make, acting_user=stranger, season=season)
        refused("season.not-organiser", invitation_revoke, acting_user=stranger, invitation=link)


def test_so_many_links_are_open_at_a_time(orla: User, season: Season) -> None:
    links = [invitation_make(acting_user=orla, season=season, at=START) for _ in range(OPEN_MAX)]
    refused("invitation.many", invitation_make, acting_user=orla, season=season, at=START)
    invitation_revoke(acting_user=orla, invitation=links[0], at=START)
    invitation_make(acting_user=orla, season=season, at=START)
    assert len({each.token for each in SeasonInvitation.objects.all()}) == OPEN_MAX + 1


def test_links_are_no_part_of_what_everybody_sees(orla: User, season: Season) -> None:
    before = Season.objects.get().revision
    invitation_make(acting_user=orla, season=season, at=START)
    assert Season.objects.get().revision == before


# -- pages ---------------------------------------------------------------------------------------


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_desk_makes_shows_and_withdraws_links(orla: User, season: Season) -> None:
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/invitations/"
    assert desk.get(address).status_code == 200
    sent = desk.post(address, {"note": "For the channel", "limit": "8", "lasts": "7"})
    assert (sent.status_code, sent["Location"]) == (302, address)
    link = SeasonInvitation.objects.get()
    assert (link.note, link.limit) == ("For the channel", 8)
    assert link.expires_at is not None
    assert link.expires_at - link.made_at == timedelta(days=7)
    ada = anybody(1)
    assert signed_in(ada).post(link.get_absolute_url()).status_code == 302
    page = desk.get(address)
    assert "no-store" in page["Cache-Control"]
    assert "For the channel" not in str(AuditEntry.objects.get(action="invitation.make").data)
    assert f'data-copy="http://testserver{link.get_absolute_url()}"' in page.content.decode()
    assert "1 of 8 came by it: guest1" in words(page)
    # Who was struck off has left their place to the next, and is not counted.
    contestant = Contestant.objects.get(user=ada)
    contestant_withdraw(acting_user=ada, contestant=contestant, why="")
    assert "0 of 8 came by it" in words(desk.get(address))
    signed_in(ada).post(link.get_absolute_url())
    assert desk.post(address, {"revoke": str(link.pk)}).status_code == 302
    page = desk.get(address)
    assert link.token not in page.content.decode()
    assert "Withdrawn" in words(page)
    assert desk.post(address, {"revoke": "x"}).status_code == 404
    assert desk.post(address, {"limit": "0", "lasts": "7"}).status_code == 422
    assert desk.post(address, {"lasts": "900"}).status_code == 422
    assert signed_in(ada).get(address).status_code == 403


def test_no_link_is_shown_as_open_once_the_season_has_begun(orla: User) -> None:
    season = enrolled(orla, 4)
    link = invitation_make(acting_user=orla, season=season)
    desk, address = signed_in(orla), f"/seasons/{season.slug}/desk/invitations/"
    assert "Open links" in words(desk.get(address))
    season_start(acting_user=orla, season=season)
    page = desk.get(address)
    assert "Open links" not in words(page)
    assert "Closed with the enrolment, 0 came by it" in words(page)
    assert link.token not in page.content.decode()
    assert "The season has begun: links let nobody in any more." in words(page)


def test_the_page_of_a_link_says_what_it_is_and_brings_back_who_has_no_account(
    orla: User, season: Season, link: SeasonInvitation
) -> None:
    address = link.get_absolute_url()
    visitor = Client()
    page = visitor.get(address)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert page["X-Robots-Tag"] == "noindex"
    text = page.content.decode()
    assert f"You are invited to {season.name}" in words(page)
    for way in ("login", "signup"):
        # In the header, which comes first on a phone, and in the page.
        assert text.count(f'href="/accounts/{way}/?next={address}"') == 2
    assert visitor.post(address)["Location"] == f"/accounts/login/?next={address}"
    assert not Contestant.objects.exists()
    with time_machine.travel(START, tick=False):
        ada = signed_in(anybody(1))
        assert "Take part" in ada.get(address).content.decode()
        done = ada.post(address, follow=True)
        assert done.redirect_chain == [(season.get_absolute_url(), 302)]
        assert "You are in." in done.content.decode()
        # The link leads to the season from now on.
        assert ada.get(address)["Location"] == season.get_absolute_url()
    with time_machine.travel(LATER, tick=False):
        late = signed_in(anybody(2))
        assert "This link has expired" in late.get(address).content.decode()
        assert "This link has expired" in visitor.get(address).content.decode()
        assert late.post(address).status_code == 422


def test_a_link_leads_nowhere_by_another_token_season_or_in_a_draft(
    orla: User, season: Season, link: SeasonInvitation
) -> None:
    visitor = Client()
    other = re.sub(r".$", "A" if not link.token.endswith("A") else "B", link.token)
    assert visitor.get(f"/seasons/{season.slug}/invited/{other}/").status_code == 404
    draft = season_create(
        acting_user=orla,
        name="Another",
        format="elimination",
        settings={"repertoire": [GAME]},
        at=START,
    )
    of_draft = invitation_make(acting_user=orla, season=draft, at=START)
    assert visitor.get(of_draft.get_absolute_url()).status_code == 404
    refused("season.draft", invitation_accept, acting_user=orla, invitation=of_draft, at=START)
    assert visitor.get(f"/seasons/{draft.slug}/invited/{link.token}/").status_code == 404
    assert visitor.get(f"/seasons/{season.slug}/invited/{of_draft.token}/").status_code == 404
    page = signed_in(orla).get(f"/seasons/{draft.slug}/desk/invitations/").content.decode()
    assert "lead nowhere as long as the season is a draft" in page
