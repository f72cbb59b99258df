"""Home, lobby, watch, my matches, profiles: who finds what there, at what price."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from games.models import Challenge, Match
from games.templatetags.games import points
from tests.games.support import Play, placing, started, user_named
from tests.pages.support import challenge, conceded, finished_row, forms, links, words

PUBLIC = ["/", "/lobby/", "/watch/"]
Visitor = Callable[..., Client]


def test_scores_are_written_as_on_the_board() -> None:
    assert [points(score) for score in (0, 71, 178_121, -3)] == ["0", "71", "178,121", "-3"]


# -- every list ----------------------------------------------------------------------------------


@pytest.mark.parametrize("address", PUBLIC)
def test_anybody_may_look_at_an_empty_site(nobody: Client, address: str) -> None:
    assert nobody.get(address).status_code == 200
    assert nobody.head(address).status_code == 200


@pytest.mark.parametrize("address", [*PUBLIC, "/matches/mine/"])
def test_lists_are_only_read(visitor: Visitor, ada: User, address: str) -> None:
    assert visitor(ada).post(address).status_code == 405


@pytest.mark.parametrize("address", PUBLIC)
def test_a_script_may_ask_for_the_changing_part_alone(
    nobody: Client, play: Play, address: str
) -> None:
    whole = nobody.get(address)
    part = nobody.get(address, headers={"X-Fragment": "live"})
    assert "<html" in whole.content.decode()
    assert "<html" not in part.content.decode()
    for response in (whole, part):
        assert "X-Fragment" in response["Vary"]
        assert response["Cache-Control"] == "private, no-cache"
    assert f"/matches/{play.pk}/" in links(part) or address == "/lobby/"


@pytest.mark.parametrize("address", [*PUBLIC, "/matches/mine/", "/u/ada/"])
def test_what_a_list_costs_does_not_grow_with_it(
    visitor: Visitor, ada: User, ben: User, address: str
) -> None:
    client = visitor(ada)
    client.get(address)

    def cost() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(address).status_code == 200
        return len(queries)

    started((ada, ben))
    finished_row((ada, ben))
    challenge(ben, ada)
    challenge(ben)
    challenge(ada)
    one = cost()
    for number in range(4):
        opponent = user_named(f"opponent{number}")
        started((ada, opponent))
        finished_row((opponent, ada))
        challenge(opponent, ada)
        challenge(opponent)
        challenge(ada, opponent)
    assert cost() == one
    # Two to see before and after whether the cards that are kept, or made now, are those of now.
    # Home and the lobby have the reader's own matches and invitations besides, home also the
    # seasons that they run or help with, the lobby who is there and the reader's own pairing; a
    # profile how somebody solves puzzles.
    first, again = {"/": (22, 16), "/u/ada/": (18, 14), "/lobby/": (22, 20)}.get(address, (17, 13))
    assert one <= first
    assert cost() <= again


# -- home ----------------------------------------------------------------------------------------


def test_home_shows_what_is_on_who_waits_and_how_it_ended(
    nobody: Client, ada: User, ben: User, cleo: User
) -> None:
    on = started((ada, ben))
    over = conceded(started((cleo, ada)))
    offered = challenge(cleo, message="Anyone?")
    page = nobody.get("/")
    assert {f"/matches/{on.pk}/", f"/matches/{over.pk}/replay/", f"/challenges/{offered.pk}/"} < {
        *links(page)
    }
    assert "Anyone?" in words(page)
    assert "Won by concession" in words(page)
    assert "How it works" in words(page)
    assert {"/rules/tetronogo/", "/rules/domino-black-white/"} < {*links(page)}


def test_home_shows_no_challenge_to_somebody_else(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    challenge(ada, ben, message="between us")
    for client in (visitor(), visitor(cleo), visitor(ada)):
        assert "between us" not in words(client.get("/"))
    page = words(visitor(ben).get("/"))
    assert page.index("You are challenged") < page.index("between us") < page.index("On stage")


# -- lobby ---------------------------------------------------------------------------------------


def test_the_lobby_sorts_challenges_by_whom_they_concern(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    to_me = challenge(ben, ada)
    for_all = challenge(ben)
    mine = challenge(ada, cleo)
    page = visitor(ada).get("/lobby/")
    assert [each.pk for each in page.context["challenges_to_me"]] == [to_me.pk]
    assert f"/challenges/{for_all.pk}/" in page.context["challenge_cards"]
    for other in (to_me, mine):
        assert f"/challenges/{other.pk}/" not in page.context["challenge_cards"]
    assert [each.pk for each in page.context["challenges_by_me"]] == [mine.pk]
    assert forms(page) == [
        "/lobby/seek/",
        f"/challenges/{to_me.pk}/accept/",
        f"/challenges/{to_me.pk}/decline/",
        "/accounts/block/ben/",
        f"/challenges/{for_all.pk}/accept/",
        f"/challenges/{mine.pk}/cancel/",
    ]


def test_the_lobby_tells_nobody_of_challenges_between_others(
    visitor: Visitor, nobody: Client, ada: User, ben: User, cleo: User
) -> None:
    hidden = challenge(ada, ben, message="between us")
    for client in (nobody, visitor(cleo)):
        page = client.get("/lobby/")
        assert f"/challenges/{hidden.pk}/" not in links(page)
        assert "between us" not in words(page)


def test_without_an_account_the_lobby_offers_to_sign_in(nobody: Client, ada: User) -> None:
    offered = challenge(ada)
    page = nobody.get("/lobby/")
    assert forms(page) == ["/lobby/seek/"]
    assert "Sign in and play" in words(page)
    assert f"/accounts/login/?next=/challenges/{offered.pk}/" in links(page)


def test_a_challenge_that_has_lapsed_is_not_offered(nobody: Client, ada: User) -> None:
    Challenge.objects.filter(pk=challenge(ada).pk).update(expires_at=timezone.now())
    assert nobody.get("/lobby/").context["challenge_cards"] == ""


def test_own_matches_stand_with_those_that_wait_for_one_first(
    visitor: Visitor, ada: User, ben: User, cleo: User
) -> None:
    waits = placing(started((ada, ben)))
    theirs = placing(started((cleo, ada)))
    own = visitor(ada).get("/lobby/").context["own_matches"]
    assert [(each.match.pk, each.to_move) for each in own] == [(waits.pk, True), (theirs.pk, False)]
    assert own[0].deadline - own[0].match.created_at == timedelta(seconds=3 + 60 + 120)
    assert own[1].deadline is None


def test_own_matches_do_not_tell_whether_the_opponent_has_chosen(
    visitor: Visitor, play: Play, ben: User
) -> None:
    before = visitor(ben).get("/lobby/").context["own_matches"]
    play.move(0, "pick T", 1000)
    after = visitor(ben).get("/lobby/").context["own_matches"]
    assert [each[1:] for each in after] == [each[1:] for each in before]


def test_the_badge_counts_challenges_to_the_reader_on_every_page(
    visitor: Visitor, nobody: Client, ada: User, ben: User
) -> None:
    one, two = challenge(ben, ada), challenge(ben, ada)
    challenge(ben)
    page = visitor(ada).get("/rules/").content.decode()
    assert f'data-waiting="{two.pk},{one.pk}"' in page
    assert "2 open to you" in words(visitor(ada).get("/rules/"))
    assert "hidden" in visitor(ben).get("/rules/").content.decode().split("data-waiting")[1][:20]
    assert "data-waiting" not in nobody.get("/rules/").content.decode()


# -- watch ---------------------------------------------------------------------------------------


def test_watch_filters_by_game_and_player(nobody: Client, ada: User, ben: User, cleo: User) -> None:
    tetronogo = started((ada, ben))
    dominoes = started((ada, cleo), "domino-black-white")
    over = conceded(started((cleo, ben)))

    def found(query: str) -> tuple[list[int], list[int]]:
        context = nobody.get(f"/watch/{query}").context
        return on_cards(context["live_cards"]), on_cards(context["result_cards"])

    assert found("") == ([dominoes.pk, tetronogo.pk], [over.pk])
    assert found("?ruleset=tetronogo") == ([tetronogo.pk], [over.pk])
    assert found("?ruleset=domino-black-white") == ([dominoes.pk], [])
    assert found("?player=@CLEO") == ([dominoes.pk], [over.pk])
    assert found("?player=ada&ruleset=tetronogo") == ([tetronogo.pk], [])


def test_watch_says_when_a_filter_makes_no_sense(nobody: Client, play: Play) -> None:
    page = nobody.get("/watch/?player=nobody-at-all&ruleset=chess")
    assert page.status_code == 200
    assert "There is no player called “nobody-at-all”." in words(page)
    assert "Select a valid choice." in words(page)
    assert on_cards(page.context["live_cards"]) == [play.pk]


def on_cards(cards: str) -> list[int]:
    """Which matches are on these cards, in order."""
    return [int(pk) for pk in re.findall(r'class="card__link" href="/matches/(\d+)/', cards)]


def test_replays_come_in_pages_with_the_filter_kept(nobody: Client, ada: User, ben: User) -> None:
    rows = [finished_row((ada, ben), minutes_ago=number) for number in range(30)]
    first = nobody.get("/watch/?player=ada")
    assert on_cards(first.context["result_cards"]) == [row.pk for row in rows[:24]]
    assert "?player=ada&page=2" in links(first)
    second = nobody.get("/watch/?player=ada&page=2")
    assert on_cards(second.context["result_cards"]) == [row.pk for row in rows[24:]]
    assert "On now" not in words(second)
    assert nobody.get("/watch/?page=99").context["page"].number == 2
    assert nobody.get("/watch/?page=x").context["page"].number == 1


def test_only_organisers_are_offered_the_import(
    visitor: Visitor, nobody: Client, ada: User, orla: User
) -> None:
    assert "/records/import/" in links(visitor(orla).get("/watch/"))
    for client in (nobody, visitor(ada)):
        assert "/records/import/" not in links(client.get("/watch/"))


# -- my matches, profiles ------------------------------------------------------------------------


def test_my_matches_want_to_know_who_asks(nobody: Client) -> None:
    response = nobody.get("/matches/mine/?page=2")
    assert response.status_code == 302
    assert response["Location"] == "/accounts/login/?next=/matches/mine/%3Fpage%3D2"


def test_my_matches_show_how_it_went_for_me(visitor: Visitor, ada: User, ben: User) -> None:
    finished_row((ben, ada), winner=1)
    finished_row((ada, ben), winner=1, minutes_ago=5)
    Match.objects.filter(pk=finished_row((ada, ben), minutes_ago=9).pk).update(
        winner=None, reason="ruling"
    )
    finished_row((ben, user_named("dora")))
    page = visitor(ada).get("/matches/mine/")
    assert len(page.context["page"]) == 3
    told = words(page)
    assert "won on the total of all bouts Ben Tetronogo 20 : 10" in told
    assert "lost on the total of all bouts Ben Tetronogo 10 : 20" in told
    assert "void Ben Tetronogo" in told
    assert "Tetronogo 1 won 1 lost" in told


@pytest.mark.parametrize("viewer", [None, "ada", "ben"])
def test_a_profile_shows_results_to_everybody(
    visitor: Visitor, ada: User, ben: User, viewer: str | None
) -> None:
    finished_row((ada, ben), winner=0)
    started((ada, ben))
    who = {None: None, "ada": ada, "ben": ben}[viewer]
    page = visitor(who).get("/u/ada/")
    assert "Tetronogo 1 won 0 lost" in words(page)
    assert ("/challenges/new/?opponent=ada" in links(page)) is (viewer == "ben")


def test_a_profile_shows_the_latest_ten_and_the_way_to_all(
    nobody: Client, ada: User, ben: User
) -> None:
    for number in range(12):
        finished_row((ada, ben), minutes_ago=number)
    page = nobody.get("/u/ben/")
    assert len([link for link in links(page) if link.endswith("/replay/")]) == 10
    assert "/u/ben/matches/" in links(page)
    assert "Tetronogo 0 won 12 lost" in words(page)


def test_nobody_challenges_a_closed_account(visitor: Visitor, ada: User, ben: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert "/challenges/new/?opponent=ada" not in links(visitor(ben).get("/u/ada/"))


def test_names_are_written_out_as_text(nobody: Client, ada: User) -> None:
    rude = user_named("rude", display_name="<b>Rude</b>")
    match = finished_row((ada, rude))
    challenge(rude, message="<script>alert(1)</script>")
    for address in ("/", "/lobby/", "/watch/", "/u/rude/"):
        page: Any = nobody.get(address).content.decode()
        assert "<b>Rude" not in page
        assert "<script>alert" not in page
    assert f"/matches/{match.pk}/replay/" in links(nobody.get("/"))


# -- without the results -------------------------------------------------------------------------

TOLD = ("Won", "won", "void", "versus__score", 'data-result="lost"')


@pytest.mark.parametrize("address", ["/", "/watch/"])
def test_lists_without_results_tell_nothing_of_how_matches_ended(
    nobody: Client, ada: User, ben: User, address: str
) -> None:
    over = conceded(started((ada, ben)))
    finished_row((ben, ada), winner=1)
    told = nobody.get(f"{address}?result=shown").content.decode()
    assert any(each in told for each in TOLD)
    nobody.cookies["results"] = "hidden"
    for query in ("", "?result=hidden"):
        page = nobody.get(f"{address}{query}")
        part = nobody.get(f"{address}{query}", headers={"X-Fragment": "live"}).content.decode()
        assert [each for each in TOLD if each in part] == []
        assert "data-untold" in part
        assert f"/matches/{over.pk}/replay/?result=hidden" in links(page)
        assert f"/matches/{over.pk}/replay/" not in links(page)
    again = nobody.get(f"{address}?result=shown")
    assert "Won by concession" in words(again)


def test_the_list_of_replays_leads_to_itself_without_results(nobody: Client, play: Play) -> None:
    page = nobody.get("/watch/?ruleset=tetronogo")
    assert "?ruleset=tetronogo&result=hidden" in links(page)
    assert "Hide the results" in words(page)
    page = nobody.get("/watch/?ruleset=tetronogo&result=hidden")
    assert "?ruleset=tetronogo&result=shown" in links(page)
    assert "Show the results" in words(page)


LISTS = ("/", "/watch/", "/matches/mine/", "/u/ada/", "/u/ada/matches/")


@pytest.mark.parametrize("where", LISTS)
def test_what_one_list_is_asked_for_holds_for_all_of_them(
    visitor: Visitor, ada: User, ben: User, where: str
) -> None:
    over = conceded(started((ada, ben)))
    reader = visitor(ada)
    assert "Show the results" in words(reader.get(f"{where}?result=hidden"))
    for address in LISTS:
        page = reader.get(address)
        assert f"/matches/{over.pk}/replay/?result=hidden" in links(page), address
        assert f"/matches/{over.pk}/replay/" not in links(page), address
        told = ("versus__score", "tag--success", "tag--danger")
        assert [each for each in told if each in page.content.decode()] == [], address
    assert "Hide the results" in words(reader.get(f"{where}?result=shown"))
    assert f"/matches/{over.pk}/replay/" in links(reader.get("/u/ada/"))


def test_one_replay_without_its_result_says_nothing_of_other_lists(
    nobody: Client, ada: User, ben: User
) -> None:
    over = conceded(started((ada, ben)))
    nobody.get(f"/matches/{over.pk}/replay/?result=hidden")
    assert "Won by concession" in words(nobody.get("/watch/"))


def test_which_results_are_listed_is_no_wish_to_be_told(
    nobody: Client, ada: User, ben: User
) -> None:
    over = conceded(started((ada, ben)))
    nobody.cookies["results"] = "hidden"
    page = nobody.get("/u/ada/matches/?result=lost")
    assert f"/matches/{over.pk}/replay/?result=hidden" in links(page)
    assert "Select a valid choice" not in words(nobody.get("/u/ada/matches/?result=shown"))


def test_every_list_of_results_offers_replays_without_them(
    visitor: Visitor, ada: User, ben: User
) -> None:
    over = conceded(started((ada, ben)))
    for address in ("/", "/watch/", "/matches/mine/", "/u/ada/", "/u/ada/matches/"):
        page = visitor(ada).get(address)
        assert f"/matches/{over.pk}/replay/?result=hidden" in links(page), address
