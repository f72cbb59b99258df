"""Pages about ratings: leaderboards, profiles, histories."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client
from django.test.signals import template_rendered
from django.utils import timezone

from accounts.models import User
from games.models import Match
from games.ratings.models import OVERALL, Rating
from games.ratings.services import match_rate, rating_exclude, ratings_repair
from tests.games.support import committing, user_named
from tests.pages.support import links, words
from tests.ratings.support import DAY_0, result_row
from tests.ratings.test_boards import rated

pytestmark = pytest.mark.django_db
Visitor = Callable[..., Client]


@pytest.fixture
def nobody(visitor: Visitor) -> Client:
    return visitor()


@contextmanager
def drawn() -> Iterator[list[str]]:
    """The names of the templates that were drawn."""
    names: list[str] = []

    def note(template: Any, **_more: Any) -> None:
        names.append(template.name)

    template_rendered.connect(note)
    try:
        yield names
    finally:
        template_rendered.disconnect(note)


# -- the leaderboard -----------------------------------------------------------------------------


def test_an_empty_leaderboard_leads_to_an_opponent(nobody: Client) -> None:
    page = nobody.get("/leaderboards/")
    assert page.status_code == 200
    assert "Nobody is ranked yet" in words(page)
    assert "/lobby/" in links(page)


def test_who_stands_where(nobody: Client, ada: User, ben: User) -> None:
    match_rate(match_id=result_row((ada, ben)).pk)
    page = nobody.get("/leaderboards/")
    assert "1 A Ada 100 % of 1 won provisional 853 1579 ± 484 1579 ± 484 1 100 %" in words(page)
    assert "2 B Ben 0 % of 1 won provisional 695 1421 ± 484" in words(page)
    assert "2 players" in words(page)
    assert {"/u/ada/", "/leaderboards/tetronogo/"} <= set(links(page))
    html = page.content.decode()
    assert 'aria-label="From 750 to 853 in 1 match"' in html
    assert 'aria-label="1 won, 0 lost; the latest won"' in html
    assert " style=" not in html.split("<main", 1)[1]
    assert "Nobody is ranked yet" in words(nobody.get("/leaderboards/domain/"))


def test_every_game_has_one_and_no_other(nobody: Client) -> None:
    assert nobody.get("/leaderboards/chess/").status_code == 404
    assert nobody.post("/leaderboards/").status_code == 405
    moved = nobody.get("/leaderboards/overall/?games=5")
    assert (moved.status_code, moved["Location"]) == (301, "/leaderboards/?games=5")
    for ruleset in ("tetronogo", "domain"):
        assert f"/leaderboards/{ruleset}/" in links(nobody.get(f"/rules/{ruleset}/"))
    assert "/leaderboards/" in links(nobody.get("/rules/"))


def test_equals_share_a_rank_and_bots_say_so(nobody: Client) -> None:
    for name in ("one", "two"):
        rated(name, 900)
    User.objects.filter(username="two").update(is_bot=True)
    told = words(nobody.get("/leaderboards/"))
    assert told.count("= shared 1") == 2
    assert "t two BOT 50 % of 20 won" in told
    alone = words(nobody.get("/leaderboards/?bots=hide"))
    assert "1 player" in alone
    assert "BOT" not in alone


def test_names_are_written_out_as_text(nobody: Client) -> None:
    rated("rude", 900)
    User.objects.update(display_name="<b>x")
    assert "<b>x" not in nobody.get("/leaderboards/").content.decode()


def test_the_filter_is_in_the_address_and_stays_there(nobody: Client) -> None:
    for number in range(60):
        rated(f"user{number}", 1000 + number, games=9, wins=3)
    first = nobody.get("/leaderboards/?games=5&provisional=hide")
    following = [link for link in links(first) if "cursor=" in link]
    assert len(following) == 1
    assert following[0].startswith("?games=5&provisional=hide&cursor=")
    second = nobody.get("/leaderboards/" + following[0])
    assert "@user9" in second.content.decode()
    assert re.search(r" 51 u user9 ", words(second))
    assert "?games=5&provisional=hide&" in links(second)
    assert "/leaderboards/domain/?games=5&provisional=hide" in links(second)
    assert "Nobody fits" in words(nobody.get("/leaderboards/?games=10"))


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?games=x", "Enter a whole number."),
        ("?games=0", "Ensure this value is greater than or equal to 1."),
        ("?days=99999999999999999999999", "Ensure this value is less than or equal to 36500."),
        ("?bots=maybe", "Select a valid choice."),
        ("?cursor=nonsense", "1 player"),
    ],
)
def test_a_filter_that_makes_no_sense_is_said_and_left_out(
    nobody: Client, query: str, told: str
) -> None:
    rated("one", 900)
    page = nobody.get("/leaderboards/" + query)
    assert page.status_code == 200
    assert told in words(page)
    assert "@one" in page.content.decode()


def test_the_second_reader_gets_it_from_the_cache(
    nobody: Client, django_assert_num_queries: Any
) -> None:
    rated("one", 900)
    nobody.get("/leaderboards/?games=2")
    with django_assert_num_queries(0):
        page = nobody.get("/leaderboards/?games=2")
    assert "@one" in page.content.decode()


def test_nothing_new_is_said_briefly(nobody: Client, visitor: Visitor, ada: User) -> None:
    other = user_named("other")
    with committing():
        match_rate(match_id=result_row((ada, other)).pk)
    for address in ("/leaderboards/", "/leaderboards/?games=1&days=30"):
        first = nobody.get(address)
        with drawn() as templates:
            again = nobody.get(address, HTTP_IF_NONE_MATCH=first["ETag"])
        assert (again.status_code, again.content, templates) == (304, b"", [])
        assert "Cookie" in again["Vary"]
    first = nobody.get("/leaderboards/")
    with drawn() as templates:
        kept = nobody.get("/leaderboards/")
    assert (kept.content, templates) == (first.content, [])
    # Another theme is another page.
    nobody.cookies["theme"] = "dark"
    assert 'data-theme="dark"' in nobody.get("/leaderboards/").content.decode()
    del nobody.cookies["theme"]
    # What is around the board is the reader's own.
    assert visitor(ada).get("/leaderboards/", HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 200
    with committing():
        match_rate(match_id=result_row((other, ada), minutes=5).pk)
    changed = nobody.get("/leaderboards/", HTTP_IF_NONE_MATCH=first["ETag"])
    assert changed.status_code == 200
    assert "50 % of 2 won" in words(changed)


# -- profiles ------------------------------------------------------------------------------------


def test_a_profile_shows_ratings_and_their_course(nobody: Client, ada: User, ben: User) -> None:
    assert "Ratings" not in words(nobody.get("/u/ada/"))
    for number in range(3):
        result_row((ada, ben), winner=number % 2, minutes=number)
    result_row((ada, ben), minutes=9, ruleset="domain")
    ratings_repair()
    page = nobody.get("/u/ada/")
    overall = Rating.objects.get(ladder=OVERALL, user=ada)
    told = words(page)
    assert f"Ratings Rating, all games {overall.shown} provisional Best guess" in told
    assert "Rank 1 of 2" in told
    assert "Tetronogo 1 of 2" in told
    assert "3 matches, 2 won" in told
    html = page.content.decode()
    assert "All games, 4 matches: the estimate went from 1500 ± 500 to" in html
    assert html.count('class="graph__band"') == 3
    assert " style=" not in html.split("<main", 1)[1]


def test_a_closed_account_has_a_rating_and_no_rank(nobody: Client, ada: User, ben: User) -> None:
    match_rate(match_id=result_row((ada, ben)).pk)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    told = words(nobody.get("/u/ada/"))
    assert "Rating, all games 853" in told
    assert "Rank" not in told
    assert "Rank 1 of 1" in words(nobody.get("/u/ben/"))


def test_a_profile_takes_a_bounded_number_of_queries(
    nobody: Client, ada: User, ben: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(130):
        result_row(
            (ada, ben), minutes=number, ruleset=("tetronogo", "domain", "domino-wars")[number % 3]
        )
    ratings_repair()
    nobody.get("/u/ben/")
    with django_assert_max_num_queries(20):
        page = nobody.get("/u/ada/")
    assert "All games, 100 matches" in page.content.decode()


# -- history -------------------------------------------------------------------------------------


def test_a_history_shows_what_each_match_did(nobody: Client, ada: User, ben: User) -> None:
    result_row((ada, ben), minutes=1)
    result_row((ada, ben), minutes=2, winner=None)
    out = result_row((ada, ben), minutes=3, winner=1)
    rating_exclude(match_id=out.pk, acting_user=None, why="the wrong pallet")
    ratings_repair()
    page = nobody.get("/u/ada/matches/")
    told = words(page)
    assert "Everything that is over: 3 matches." in told
    assert "won on the total of all bouts Ben Tetronogo, 10 : 20, 5 January 2026 Tetronogo" in told
    assert "853 +103" in told
    assert "695 −55" in words(nobody.get("/u/ben/matches/"))  # noqa: RUF001  (a minus sign)
    assert told.count("not rated") == 2
    assert "The reason: the wrong pallet" in told
    assert len([link for link in links(page) if link.endswith("/replay/")]) == 3


def test_a_score_that_tells_nothing_leaves_no_gap(nobody: Client, ada: User, ben: User) -> None:
    """On a narrow page game, score and date stand in one line."""
    result_row((ada, ben))
    Match.objects.update(scores=[0, 0], reason="concession")
    page = nobody.get("/u/ada/matches/").content.decode()
    (note,) = re.findall(r'<span class="history__note">(.*?)</span>', page)
    assert re.fullmatch(r"[^,]+, <time.*", note), note


def test_a_history_can_be_narrowed(nobody: Client, ada: User, ben: User, cleo: User) -> None:
    rows = {
        "won": result_row((ben, ada), winner=1, minutes=1),
        "lost": result_row((ada, ben), winner=1, minutes=2),
        "void": result_row((ada, cleo), winner=None, minutes=3),
        "domain": result_row((cleo, ada), winner=0, minutes=4, ruleset="domain"),
    }
    result_row((ben, cleo))

    def found(query: str) -> list[int]:
        return [match.pk for match in nobody.get(f"/u/ada/matches/{query}").context["matches"]]

    assert found("") == [rows[name].pk for name in ("domain", "void", "lost", "won")]
    assert found("?result=won") == [rows["won"].pk]
    assert found("?result=lost") == [rows["domain"].pk, rows["lost"].pk]
    assert found("?result=void") == [rows["void"].pk]
    assert found("?game=domain") == [rows["domain"].pk]
    assert found("?opponent=@BEN") == [rows["lost"].pk, rows["won"].pk]
    assert found("?opponent=ben&result=lost") == [rows["lost"].pk]
    assert found("?opponent=nobody-at-all") == []
    assert "No such match" in words(nobody.get("/u/ada/matches/?opponent=nobody-at-all"))
    told = words(nobody.get("/u/ada/matches/?result=drawn&game=chess"))
    assert told.count("Select a valid choice.") == 2
    assert "Everything that is over: 4 matches." in told


def test_a_history_comes_in_pages_with_the_filter_kept(
    nobody: Client, ada: User, ben: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        result_row((ada, ben), minutes=number)
    ratings_repair()
    first = nobody.get("/u/ada/matches/?result=won")
    assert len(first.context["matches"]) == 24
    assert "?result=won&page=2" in links(first)
    assert len(nobody.get("/u/ada/matches/?result=won&page=2").context["matches"]) == 6
    with django_assert_max_num_queries(8):
        nobody.get("/u/ada/matches/")


def test_whose_history(nobody: Client, ada: User) -> None:
    assert nobody.get("/u/nobody/matches/").status_code == 404
    moved = nobody.get("/u/ADA/matches/")
    assert (moved.status_code, moved["Location"]) == (301, "/u/ada/matches/")
    assert "No match yet" in words(nobody.get("/u/ada/matches/"))
    assert nobody.post("/u/ada/matches/").status_code == 405
    assert timezone.now() > DAY_0
