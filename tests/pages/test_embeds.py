"""What of the site can be shown within other sites' pages: what everybody may see, and nobody's."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.services.practice import practice_start
from script.lib.console import ROOT
from tests.games.support import Play, committing, started
from tests.pages.support import conceded, words
from tests.pages.test_match_pages import data_of
from tests.permissions.test_completeness import all_addresses
from tests.tournaments.support import after, begun, enrolled, organiser_named, played, running
from tests.tournaments.support import conceded as match_conceded
from tests.tournaments.test_pictures import put_up
from tournaments.models import Season
from tournaments.services.scheduling.appointments import leg_schedule

Visitor = Callable[..., Client]

FRAMED = {"games:match_embed", "embeds:standings", "embeds:bracket", "embeds:matches"}
_LINK = re.compile(r"<a\b[^>]*>")


@pytest.fixture
def olga(db: None) -> User:
    """An organiser."""
    return organiser_named("olga")


@pytest.fixture
def cup(olga: User) -> Season:
    """A knockout of four, before its semi-finals."""
    return running(olga, 4, "single-elimination")


def frames(season: Season) -> list[str]:
    return [f"/embed/seasons/{season.slug}/{each}/" for each in ("standings", "matches", "bracket")]


# -- who may frame what --------------------------------------------------------------------------


def ancestors(answer: Any) -> str:
    found = re.search(r"frame-ancestors ([^;]*)", answer.headers.get("Content-Security-Policy", ""))
    return found[1].strip() if found else ""


def test_nothing_else_can_be_framed(nobody: Client, play: Play, cup: Season) -> None:
    known = {
        "match_id": play.pk, "slug": cup.slug, "pk": 1, "leg_id": 1, "number": 1,
        "username": "ada", "token": "x" * 20, "name": "bracket", "ruleset_id": "domain",
        "variant_id": "standard", "key": "pool", "uidb36": "1", "uid": "1",
    }  # fmt: skip
    strict, open_to_all = 0, set()
    for name, wanted in all_addresses():
        if name.startswith("admin:") or not wanted <= known.keys():
            continue
        try:
            path = reverse(name, kwargs={each: known[each] for each in wanted})
        except Exception:  # noqa: BLE001,S112  (another form of name is wanted)
            continue
        answer = nobody.get(path)
        if name in FRAMED:
            assert ancestors(answer) == "'self' *", name
            assert "X-Frame-Options" not in answer, name
            open_to_all.add(name)
            continue
        strict += 1
        assert answer.headers.get("X-Frame-Options") == "DENY", name
        assert ancestors(answer) in ("'none'", ""), name
    assert open_to_all == FRAMED
    assert strict > 100


def test_the_settings_say_who_may(nobody: Client, cup: Season, settings: Any) -> None:
    settings.GAUNTLET_EMBED_HOSTS = ["https://forum.example"]
    assert ancestors(nobody.get(frames(cup)[0])) == "'self' https://forum.example"
    settings.GAUNTLET_EMBED_HOSTS = []
    assert ancestors(nobody.get(frames(cup)[0])) == "'self'"
    # A reader who has it is told of the same, and so is one for whom there is nothing.
    again = nobody.get(frames(cup)[0])
    known = nobody.get(frames(cup)[0], headers={"if-none-match": again["ETag"]})
    assert (known.status_code, ancestors(known)) == (304, "'self'")
    gone = nobody.get("/embed/matches/77/")
    assert (gone.status_code, ancestors(gone)) == (404, "'self'")


# -- made for nobody -----------------------------------------------------------------------------


def test_who_asks_makes_no_difference(
    visitor: Visitor, nobody: Client, play: Play, cup: Season, ada: User, olga: User
) -> None:
    """Not a player, not the organiser, no cookie: a page that is framed is the same for all."""
    for path in frames(cup):
        seen = nobody.get(path).content
        for user in (ada, olga):
            client = visitor(user)
            client.cookies["theme"] = "dark"
            answer = client.get(path)
            assert answer.content == seen
            assert answer.cookies == {}
            assert "cookie" not in answer["Vary"].lower()
    path = f"/embed/matches/{play.pk}/"
    for client in (nobody, visitor(ada)):
        answer = client.get(path)
        assert data_of(answer, "match-sync")["you"] is None
        assert answer.cookies == {}
        assert "cookie" not in answer["Vary"].lower()
        assert 'data-theme="auto"' in answer.content.decode()


def test_nothing_on_them_acts(nobody: Client, play: Play, cup: Season, olga: User) -> None:
    """No form, no button; what leads to the site opens a tab of its own."""
    for path in [*frames(cup), f"/embed/matches/{play.pk}/"]:
        page = nobody.get(path).content.decode()
        assert not re.search(r"<(form|button|input|select|textarea)\b", page), path
        assert len(_LINK.findall(page)) > 1
        for link in _LINK.findall(page):
            assert 'target="_blank"' in link, (path, link)
            assert 'rel="noopener"' in link, (path, link)


def test_they_are_only_read(nobody: Client, play: Play, cup: Season) -> None:
    for path in [*frames(cup), f"/embed/matches/{play.pk}/"]:
        assert nobody.post(path).status_code == 405
        assert nobody.head(path).status_code == 200


@pytest.mark.parametrize(
    ("asked", "shown"), [("dark", "dark"), ("light", "light"), ("auto", "auto"), ('"><b>', "auto")]
)
def test_the_address_chooses_the_look(nobody: Client, cup: Season, asked: str, shown: str) -> None:
    page = nobody.get(frames(cup)[0], {"theme": asked}).content.decode()
    assert f'<html lang="en-GB" class="js embed" data-theme="{shown}">' in page


# -- a match -------------------------------------------------------------------------------------


def test_a_match_says_how_it_stands_and_how_it_ended(nobody: Client, play: Play) -> None:
    path = f"/embed/matches/{play.pk}/"
    before = nobody.get(path)
    assert re.search(r'data-part="replay"[^>]*hidden', before.content.decode())
    conceded(play)
    after = nobody.get(path)
    assert "Ben won" in words(after)
    assert not re.search(r'data-part="replay"[^>]*hidden', after.content.decode())


def test_what_spectators_see_late_is_late_there(nobody: Client, ada: User, ben: User) -> None:
    play = started((ada, ben), late_s=180)
    play.move(0, "pick T", 1000)
    path = f"/embed/matches/{play.pk}/"
    here = data_of(nobody.get(path), "match-sync")
    seen = data_of(nobody.get(f"/matches/{play.pk}/"), "match-sync")
    assert here["view"] == seen["view"]
    assert "seen 3 minutes late" in words(nobody.get(path))


def test_practice_is_nobodys_to_embed(visitor: Visitor, ada: User) -> None:
    with committing():
        match = practice_start(
            acting_user=ada, ruleset_id="tetronogo", variant="standard", level="novice"
        )
    assert visitor(ada).get(f"/matches/{match.pk}/").status_code == 200
    for client in (visitor(), visitor(ada)):
        for path in (f"/embed/matches/{match.pk}/", f"/matches/{match.pk}/embedding/"):
            assert client.get(path).status_code == 404


# -- a season ------------------------------------------------------------------------------------


def test_a_bracket_is_drawn_no_larger_than_it_is() -> None:
    """Its size stands in the drawing; a narrow frame makes it smaller, a wide one no larger."""
    rules = re.findall(
        r"[^{}]*\.bracket__art[^{}]*\{([^}]*)\}", (ROOT / "static/css/embed.css").read_text()
    )
    said = dict(re.findall(r"([\w-]+):\s*([^;]+);", " ".join(rules)))
    assert (said["max-width"], said["height"]) == ("100%", "auto")
    assert not {"width", "min-width"} & said.keys()


def test_a_season_is_kept_by_its_readers_until_something_happens(
    nobody: Client, olga: User, cup: Season
) -> None:
    for path in frames(cup):
        first = nobody.get(path)
        assert first["Cache-Control"] == "public, no-cache"
        assert nobody.get(path, headers={"if-none-match": first["ETag"]}).status_code == 304
    tags = [nobody.get(path)["ETag"] for path in frames(cup)]
    row = cup.rounds.get(number=1).death_matches.order_by("key")[0]
    begun(olga, row)
    for path, tag in zip(frames(cup), tags, strict=True):
        fresh = nobody.get(path, headers={"if-none-match": tag})
        assert fresh.status_code == 200
    assert "live" in words(nobody.get(frames(cup)[1]))


def test_between_two_matches_nothing_is_on(nobody: Client, olga: User) -> None:
    season = running(olga, 2, "single-elimination", format_options={"best_of": 3})
    row = season.rounds.get(number=1).death_matches.get()
    first = begun(olga, row)
    base = f"/seasons/{season.slug}/"
    places = (frames(season)[1], base, f"{base}schedule/")
    for address in places:
        assert "On stage now" in words(nobody.get(address))
    match_conceded(first, 0)
    (second,) = row.legs.filter(status="planned")[:1]
    leg_schedule(acting_user=olga, leg=second, scheduled_at=after(hours=30), at=after(hours=2))
    for address in places:
        assert "On stage now" not in words(nobody.get(address))
    page = nobody.get(frames(season)[1]).content.decode()
    assert f'datetime="{after(hours=30):%Y-%m-%dT%H:%M}' in page


def test_the_picture_of_a_season_is_that_of_its_links(
    nobody: Client, cup: Season, olga: User
) -> None:
    url = f"http://testserver/seasons/{cup.slug}/"
    drawn = asked(nobody, url=url).json()["thumbnail_url"]
    assert drawn.endswith(f"/seasons/{cup.slug}/share.png")
    picture = put_up(olga, cup)
    told = asked(nobody, url=url).json()["thumbnail_url"]
    assert told.endswith(picture.address(1200))
    assert f'content="{told}"' in nobody.get(f"/seasons/{cup.slug}/").content.decode()


def test_formats_have_what_they_have(nobody: Client, olga: User) -> None:
    for kind in ("elimination", "swiss", "round-robin", "ladder"):
        season = running(olga, 5, kind)
        told = [nobody.get(path).status_code for path in frames(season)]
        assert told == [200, 200, 404], kind
        shown = words(nobody.get(frames(season)[0]))
        assert all(each.name in shown for each in season.contestants.all()), kind


def test_how_a_season_ended_stays(nobody: Client, olga: User) -> None:
    season = running(olga, 2, "single-elimination")
    row = season.rounds.get(number=1).death_matches.get()
    played(olga, row, 1)
    season.refresh_from_db()
    assert season.winner is not None
    for path in frames(season):
        assert f"{season.winner.name} has won the season." in words(nobody.get(path))


def test_nobody_embeds_a_draft(visitor: Visitor, olga: User) -> None:
    season = enrolled(olga, 4, "single-elimination")
    Season.objects.filter(pk=season.pk).update(visibility="draft")
    for client in (visitor(), visitor(olga)):
        for path in frames(season):
            answer = client.get(path)
            assert answer.status_code == 404
            assert season.name not in answer.content.decode()
        for part in ("standings", "bracket", "matches"):
            assert client.get(f"/seasons/{season.slug}/embedding/{part}/").status_code == 404
    page = visitor(olga).get(f"/seasons/{season.slug}/").content.decode()
    assert "oembed" not in page
    assert "embedding" not in page


# -- the text to copy ----------------------------------------------------------------------------


def test_the_text_is_what_a_page_needs(nobody: Client, cup: Season) -> None:
    page = nobody.get(f"/seasons/{cup.slug}/embedding/bracket/", {"theme": "dark"})
    assert page.status_code == 200
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", page.content.decode(), re.DOTALL)
    assert found is not None
    text = unescape(found[1])
    assert text.startswith(f'<iframe src="http://testserver{frames(cup)[2]}?theme=dark" title=')
    assert 'loading="lazy"></iframe>' in text
    assert "frame-src 'self'" in page["Content-Security-Policy"]
    assert nobody.get(f"/seasons/{cup.slug}/embedding/else/").status_code == 404


def test_names_are_no_markup_in_it(nobody: Client, cup: Season) -> None:
    """The text is copied as it is read: what it holds must be safe then."""
    name = 'A "cup" </textarea><script>alert(1)</script>'
    Season.objects.filter(pk=cup.pk).update(name=name)
    page = nobody.get(f"/seasons/{cup.slug}/embedding/bracket/").content.decode()
    found = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert found is not None
    text = unescape(found[1])
    assert "<script" not in text
    assert "&quot;cup&quot; &lt;/textarea&gt;" in text


def test_pages_lead_to_it(nobody: Client, play: Play, cup: Season, olga: User) -> None:
    swiss = running(olga, 4, "swiss")
    for path, leads in (
        (f"/matches/{play.pk}/", f"/matches/{play.pk}/embedding/"),
        (f"/seasons/{cup.slug}/", f"/seasons/{cup.slug}/embedding/bracket/"),
        (f"/seasons/{swiss.slug}/standings/", f"/seasons/{swiss.slug}/embedding/standings/"),
    ):
        page = nobody.get(path).content.decode()
        assert f'href="{leads}"' in page, path
        assert nobody.get(leads).status_code == 200


# -- oEmbed --------------------------------------------------------------------------------------


def asked(client: Client, **query: str) -> Any:
    return client.get("/oembed", query)


def test_pages_say_where_to_ask(nobody: Client, play: Play, cup: Season) -> None:
    for path in (
        f"/matches/{play.pk}/",
        f"/seasons/{cup.slug}/",
        f"/seasons/{cup.slug}/standings/",
    ):
        page = nobody.get(path).content.decode()
        found = re.search(
            r'<link rel="alternate" type="application/json\+oembed" href="([^"]*)"', page
        )
        assert found is not None, path
        where = unescape(found[1])
        assert where == f"http://testserver/oembed?url={quote(f'http://testserver{path}', safe='')}"
        told = nobody.get(where.removeprefix("http://testserver")).json()
        assert (told["version"], told["type"]) == ("1.0", "rich")
        src = re.search(r'src="http://testserver([^"]*)"', told["html"])
        assert src is not None
        assert nobody.get(src[1]).status_code == 200


def test_a_frame_has_the_room_that_it_is_given(nobody: Client, play: Play) -> None:
    url = f"http://testserver/matches/{play.pk}/"
    told = asked(nobody, url=url).json()
    assert (told["width"], told["height"]) == (480, 720)
    told = asked(nobody, url=url, maxwidth="320", maxheight="400").json()
    assert (told["width"], told["height"]) == (320, 400)
    assert 'width="320" height="400"' in told["html"]
    # Whoever asks for little gets no more.
    told = asked(nobody, url=url, maxwidth="200", maxheight="1").json()
    assert (told["width"], told["height"]) == (200, 1)
    assert asked(nobody, url=url, maxwidth="0").status_code == 400
    assert asked(nobody, url=url).headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    "url",
    [
        "http://elsewhere.example/matches/{pk}/", "http://testserver/matches/77/",
        "http://testserver/lobby/", "http://testserver/nowhere/", "ftp://testserver/matches/{pk}/",
        "http://testserver@elsewhere.example/matches/{pk}/", "/matches/{pk}/", "http://[",
        "http://testserver:99999/matches/{pk}/", "http://testserver/seasons/nowhere/", "x",
        "http://testserver/matches/{pk}/dispute/",
    ],
)  # fmt: skip
def test_of_what_is_not_there_nothing_is_told(nobody: Client, play: Play, url: str) -> None:
    answer = asked(nobody, url=url.format(pk=play.pk))
    assert answer.status_code == 404
    assert set(answer.json()) == {"code", "sentence"}


def test_the_standards_codes(nobody: Client, play: Play) -> None:
    url = f"http://testserver/matches/{play.pk}/"
    assert asked(nobody, url=url, format="xml").status_code == 501
    assert asked(nobody, url=url, format="json").status_code == 200
    assert asked(nobody).status_code == 400
    assert asked(nobody, url=url, maxwidth="wide").status_code == 400
    assert nobody.post("/oembed").status_code == 405


def test_nobody_asks_too_often(nobody: Client, play: Play, settings: Any) -> None:
    settings.GAUNTLET_API_LIMITS = {**settings.GAUNTLET_API_LIMITS, "oembed": 2}
    url = f"http://testserver/matches/{play.pk}/"
    answers = [asked(nobody, url=url).status_code for _ in range(4)]
    assert 429 in answers


def test_of_a_death_match_its_match_is_told(nobody: Client, olga: User) -> None:
    """The one that is played, else the last that was; before there is one, what is on."""
    season = running(olga, 2, "single-elimination", format_options={"best_of": 3})
    row = season.rounds.get(number=1).death_matches.get()
    url = f"http://testserver/seasons/{season.slug}/matches/{row.pk}/"

    def told() -> str:
        page = nobody.get(url.removeprefix("http://testserver")).content.decode()
        assert f"oembed?url={quote(url, safe='')}" in unescape(page)
        found = re.search(r'src="http://testserver([^"]*)"', asked(nobody, url=url).json()["html"])
        assert found is not None
        assert nobody.get(found[1]).status_code == 200
        return found[1]

    assert told() == frames(season)[1]
    first = begun(olga, row)
    assert told() == f"/embed/matches/{first.match_id}/"
    match_conceded(first, 0)
    assert told() == f"/embed/matches/{first.match_id}/"
    second = begun(olga, row, 2, after(hours=3))
    assert told() == f"/embed/matches/{second.match_id}/"
    other = f"http://testserver/seasons/{season.slug}/matches/{row.pk + 1}/"
    assert asked(nobody, url=other).status_code == 404


def test_a_draft_is_not_told_of(visitor: Visitor, olga: User, cup: Season) -> None:
    url = f"http://testserver/seasons/{cup.slug}/"
    assert asked(visitor(olga), url=url).status_code == 200
    Season.objects.filter(pk=cup.pk).update(visibility="archived")
    assert (
        asked(visitor(), url=url).status_code == visitor().get(f"/seasons/{cup.slug}/").status_code
    )
