"""Following a season on its page, the list of what one follows, and the feeds of what happens."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest
import time_machine
from django.conf import settings
from django.test import Client

from accounts.models import User
from core.clock import now_utc
from tests.games.support import committing
from tests.tournaments.support import (
    START,
    account,
    after,
    begun,
    chosen,
    enrolled,
    organiser_named,
    who,
)
from tournaments.models import Season, SeasonFollow
from tournaments.services.follows import season_follow
from tournaments.services.results.rulings import death_match_declare
from tournaments.services.seasons import season_archive, season_cancel, season_unlist
from tournaments.services.starts import season_start

pytestmark = pytest.mark.django_db

Visitor = Callable[..., Client]
PAGE, FOLLOW, LIST = "/seasons/autumn/", "/seasons/autumn/follow/", "/seasons/+followed/"
FEED, FEEDS = "/seasons/autumn/feed.atom", "/seasons/feed.atom"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def olga(db: None) -> User:
    return organiser_named("olga")


@pytest.fixture
def season(olga: User) -> Season:
    """Of four, begun: one is out by a ruling."""
    made = enrolled(olga, 4)
    season_start(acting_user=olga, season=made, at=START)
    meeting = chosen(olga, made, ec=1, dmo=2)
    begun(olga, meeting, at=after(minutes=1))
    death_match_declare(
        acting_user=olga, death_match=meeting, winner=who(made, 1), why="<b>Power</b> & cut.",
        at=after(minutes=2),
    )  # fmt: skip
    return made


# -- the page ------------------------------------------------------------------------------------


def test_somebody_follows_by_a_button(visitor: Visitor, cleo: User, season: Season) -> None:
    client = visitor(cleo)
    assert b'action="/seasons/autumn/follow/"' in client.get(PAGE).content
    assert b"<dt>Followers" not in client.get(PAGE).content
    assert client.post(FOLLOW).headers["Location"] == PAGE
    page = client.get(PAGE).content
    # Others without an account read a page that is kept, and nothing that would be old in it.
    assert b"<dt>Followers" not in Client().get(PAGE).content
    assert b"<dt>Followers</dt><dd>1</dd>" in page
    assert b'name="follow" value="no"' in page
    listed = client.get(LIST)
    assert b"Autumn" in listed.content
    assert "no-store" in listed["Cache-Control"]
    again = client.post(FOLLOW, follow=True)
    assert b"You follow this season already." in again.content
    given = {"follow": "no", "back": "list"}
    assert client.post(FOLLOW, given).headers["Location"] == LIST
    assert not SeasonFollow.objects.exists()
    assert b"You follow none." in client.get(LIST).content


def test_nobody_is_offered_what_they_hear_anyway(
    visitor: Visitor, olga: User, season: Season
) -> None:
    for user in (olga, account(season, 1)):
        assert b"/seasons/autumn/follow/" not in visitor(user).get(PAGE).content
        with committing():
            visitor(user).post(FOLLOW)
    assert not SeasonFollow.objects.exists()
    # Whoever is out may.
    assert b"/seasons/autumn/follow/" in visitor(account(season, 2)).get(PAGE).content


def test_whoever_has_not_signed_in_is_asked_to(nobody: Client, season: Season) -> None:
    assert b"/accounts/login/?next=/seasons/autumn/" in nobody.get(PAGE).content
    assert "/accounts/login/" in nobody.post(FOLLOW)["Location"]
    assert "/accounts/login/" in nobody.get(LIST)["Location"]
    assert nobody.get(FOLLOW).status_code == 405


def test_what_is_hidden_is_not_on_the_list(visitor: Visitor, cleo: User, olga: User) -> None:
    made = enrolled(olga, 2)
    season_follow(acting_user=cleo, season=made)
    season_unlist(acting_user=olga, season=made)
    client = visitor(cleo)
    assert b"Autumn" not in client.get(LIST).content
    assert client.post(FOLLOW).status_code == 404


# -- feeds ---------------------------------------------------------------------------------------


def read(client: Client, address: str) -> ET.Element:
    """A feed as any reader reads it: well-formed, with all that RFC 4287 asks for."""
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ET.fromstring(answer.content)  # noqa: S314  (the site's own)
    assert feed.tag == f"{ATOM}feed"
    for part in ("title", "id", "updated"):
        assert len(feed.findall(f"{ATOM}{part}")) == 1, part
    assert feed.find(f"{ATOM}author/{ATOM}name") is not None
    links = {each.get("rel"): each.get("href") for each in feed.findall(f"{ATOM}link")}
    assert links["self"] == f"{settings.GAUNTLET_ORIGIN}{address}"
    ids = [text(each, "id") for each in feed.iter(f"{ATOM}entry")]
    assert len(set(ids)) == len(ids)
    for entry in feed.iter(f"{ATOM}entry"):
        for part in ("title", "id", "updated", "summary"):
            assert text(entry, part), part
        link = entry.find(f"{ATOM}link")
        assert link is not None
        assert str(link.get("href")).startswith(f"{settings.GAUNTLET_ORIGIN}/seasons/")
        assert all(each.startswith("urn:uuid:") for each in ids)
    return feed


def text(element: ET.Element, part: str) -> str:
    found = element.find(f"{ATOM}{part}")
    return "" if found is None else found.text or ""


def kinds(feed: ET.Element) -> list[str]:
    return [str(each.get("term")) for each in feed.iter(f"{ATOM}category")]


def test_a_feed_tells_what_happened(nobody: Client, season: Season) -> None:
    feed = read(nobody, FEED)
    assert text(feed, "title") == "Autumn"
    assert text(feed, "id") == season.uid.urn
    told = kinds(feed)
    assert told[-1] == "season.listed"
    assert {"season.started", "round.opened", "death-match.started", "death-match.decided",
            "contestant.eliminated"} <= set(told)  # fmt: skip
    assert not {each for each in told if each.startswith(("item.", "ledger."))}
    summaries = [text(each, "summary") for each in feed.iter(f"{ATOM}entry")]
    # What people wrote is shown, and no markup of theirs is.
    assert any("&lt;b&gt;Power&lt;/b&gt; &amp; cut." in each for each in summaries)
    assert text(feed, "updated") == max(text(each, "updated") for each in feed.iter(f"{ATOM}entry"))
    assert kinds(read(nobody, FEEDS)) == [
        row.kind for row in season.events.filter(kind__in=told).order_by("-pk")
    ]


def test_entries_are_known_by_the_same_ids_for_good(nobody: Client, season: Season) -> None:
    def ids() -> list[str]:
        return [text(each, "id") for each in read(nobody, address).iter(f"{ATOM}entry")]

    address = FEED
    before = ids()
    Season.objects.filter(pk=season.pk).update(slug="fall", name="Fall")
    address = "/seasons/fall/feed.atom"
    assert ids() == before


def test_every_address_is_at_the_sites_own_origin(nobody: Client, season: Season) -> None:
    answer = nobody.get(FEED, headers={"host": "localhost:1234"})
    assert b"localhost:1234" not in answer.content
    assert answer.content == nobody.get(FEED).content


def test_whoever_has_it_is_told_so(nobody: Client, olga: User, season: Season) -> None:
    with time_machine.travel(now_utc() + (after(minutes=1) - START), tick=False):
        first = nobody.get(FEED)
        known = {"If-None-Match": first["ETag"]}
        assert nobody.get(FEED, headers=known).status_code == 304
        since = {"If-Modified-Since": first["Last-Modified"]}
        assert nobody.get(FEED, headers=since).status_code == 304
        whole = {"If-None-Match": nobody.get(FEEDS)["ETag"]}
        assert nobody.get(FEEDS, headers=whole).status_code == 304
        season_cancel(acting_user=olga, season=season, why="Rain.", at=after(minutes=9))
        for address, headers in ((FEED, known), (FEED, since), (FEEDS, whole)):
            assert nobody.get(address, headers=headers).status_code == 200
        # In this second it may change again: that is not said to be the last.
        assert "Last-Modified" not in nobody.get(FEED)


@pytest.mark.parametrize("name", ["cleo", "olga", None])
def test_there_is_no_feed_of_a_draft(
    visitor: Visitor, cleo: User, olga: User, name: str | None
) -> None:
    made = enrolled(olga, 2)
    client = visitor(None if name is None else User.objects.get(username=name))
    assert client.get(FEED).status_code == 200
    assert b"Autumn" in client.get(FEEDS).content
    season_unlist(acting_user=olga, season=made)
    assert client.get(FEED).status_code == 404
    assert b"Autumn" not in client.get(FEEDS).content
    page = client.get(PAGE)
    assert page.status_code == (200 if name == "olga" else 404)
    assert b"feed.atom" not in page.content


def test_what_is_archived_is_in_no_list(nobody: Client, olga: User, season: Season) -> None:
    season_archive(acting_user=olga, season=season)
    assert read(nobody, FEED)
    assert kinds(read(nobody, FEEDS)) == []


def test_pages_lead_to_their_feeds(nobody: Client, season: Season) -> None:
    for address, feed in ((PAGE, FEED), (f"{PAGE}results/", FEED), ("/seasons/", FEEDS)):
        page = nobody.get(address).content.decode()
        assert '<link rel="alternate" type="application/atom+xml"' in page
        assert f'href="{feed}"' in page


def test_what_xml_has_no_place_for_breaks_no_feed(nobody: Client, season: Season) -> None:
    Season.objects.filter(pk=season.pk).update(name="Au\x0btumn \ufffe & <co>")
    assert text(read(nobody, FEED), "title") == "Au\ufffdtumn \ufffd & <co>"


def test_a_feed_costs_the_same_however_long(
    nobody: Client, olga: User, season: Season, django_assert_max_num_queries: Callable[..., object]
) -> None:
    with django_assert_max_num_queries(5):  # type: ignore[attr-defined]
        assert nobody.get(FEED).status_code == 200
    with django_assert_max_num_queries(5):  # type: ignore[attr-defined]
        assert nobody.get(FEEDS).status_code == 200
