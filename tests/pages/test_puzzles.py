"""Pages of puzzles and the same over the API: for whom, and what they tell when."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.models import Puzzle, PuzzleAnswer, PuzzleSolver
from games.puzzles import reading
from games.puzzles.kept import daily_forget
from games.puzzles.services import puzzles_load
from games.rulesets import REGISTRY
from tests.games.support import nothing_changes, started
from tests.games.test_puzzles import wrong_answer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _loaded() -> None:
    puzzles_load()
    daily_forget()


def one_of(ruleset: str) -> Puzzle:
    return Puzzle.objects.filter(ruleset=ruleset).earliest("pk")


def solve(client: Client, row: Puzzle, **given: str) -> Any:
    return client.post(f"/puzzles/{row.pk}/answer/", given)


every_game = pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])


# -- pages -----------------------------------------------------------------------------------------


@every_game
def test_a_visitor_solves_one_without_an_account(client: Client, ruleset: str) -> None:
    row = one_of(ruleset)
    page = client.get(row.get_absolute_url())
    assert page.status_code == 200
    assert reading.question_of(row) in page.content.decode().replace("&#x27;", "'")
    assert not User.objects.exists()
    answer = solve(client, row, text=row.solution)
    assert answer.status_code == 200, answer.content
    told = answer.json()
    assert told["right"]
    assert told["counted"]
    assert told["you"]["change"] > 0
    assert told["steps"][0]["view"]["game"]
    guest = User.objects.get()
    assert guest.is_guest
    assert PuzzleAnswer.objects.get().user == guest
    again = client.get(row.get_absolute_url()).content.decode()
    assert "what you try now does not count" in again


@every_game
def test_nothing_tells_the_solution_before_an_answer(client: Client, ruleset: str) -> None:
    row = one_of(ruleset)
    for path in (row.get_absolute_url(), "/puzzles/", f"/api/v1/puzzles/{row.pk}/"):
        content = client.get(path).content.decode()
        assert row.solution not in content, path
        assert json.dumps(row.solution)[1:-1] not in content
    told = solve(client, row, text=wrong_answer(row)).json()
    assert not told["right"]
    assert row.solution not in json.dumps([told["text"], told["words"]])


@pytest.mark.parametrize("ruleset", ["domino-wars", "domino-black-white"])
def test_what_is_hidden_does_not_leave(client: Client, ruleset: str) -> None:
    row = one_of(ruleset)
    shown = client.get(f"/api/v1/puzzles/{row.pk}/").json()["view"]["game"]
    answers = solve(client, row, text=row.solution).json()
    for game in (shown, *(step["view"]["game"] for step in answers["steps"])):
        if ruleset == "domino-wars":
            assert game["sides"][1 - row.seat]["hand"] is None
            assert game["sides"][1 - row.seat]["pile"] is None
        else:
            assert game["hands"][1 - row.seat] is None
            theirs = [c for c in game["cells"] if c["seat"] != row.seat and c["hidden"]]
            assert theirs
            assert all(cell["number"] is None for cell in theirs)


def test_a_refused_answer_makes_no_guest(client: Client) -> None:
    row = one_of("tetronogo")
    with nothing_changes():
        answer = solve(client, row, text="nonsense")
    assert answer.status_code in (400, 409, 422)
    assert answer.json()["code"].startswith("notation.")
    assert answer.json()["sentence"]
    assert not User.objects.exists()
    assert client.post("/puzzles/999999/answer/", {"text": "x"}).status_code == 404
    assert client.get(f"/puzzles/{row.pk}/answer/").status_code == 405


def test_the_solution_is_shown_and_counts_as_wrong(client: Client) -> None:
    row = one_of("peg-domain")
    told = solve(client, row, show="yes").json()
    assert told["text"] == row.solution
    assert told["you"]["change"] < 0
    assert not PuzzleAnswer.objects.get().right


def test_next_leads_through_all_games(client: Client) -> None:
    met = []
    path = "/puzzles/next/"
    for _ in range(5):
        answer = client.get(path)
        assert answer.status_code == 302
        row = Puzzle.objects.get(pk=int(answer["Location"].split("/")[2]))
        met.append(row.ruleset)
        assert solve(client, row, show="yes").status_code == 200
        path = f"/puzzles/next/?after={row.pk}"
    assert set(met) == {each.id for each in REGISTRY}
    of_game = client.get("/puzzles/next/?game=peg-domain/final")
    row = Puzzle.objects.get(pk=int(of_game["Location"].split("/")[2]))
    assert row.variant == "final"
    assert client.get("/puzzles/next/?game=chess/x&after=x")["Location"] == "/puzzles/"


def test_who_answers_none_is_led_through_all_of_them(client: Client) -> None:
    """Nothing is kept of a visitor who answers nothing: the address says what they have passed."""
    met = []
    path = "/puzzles/next/"
    for _ in range(Puzzle.objects.count()):
        page = client.get(path, follow=True)
        row = page.context["puzzle"]
        met.append(row.pk)
        path = re.findall(r'href="(/puzzles/next/[^"]*)"', page.content.decode())[-1]
    assert len(set(met)) == len(met)
    assert {row.ruleset for row in Puzzle.objects.filter(pk__in=met[:5])} == {
        each.id for each in REGISTRY
    }
    # Then they come again, the one before last of all.
    assert client.get(path, follow=True).context["puzzle"].pk == met[0]
    assert not User.objects.filter(is_guest=True).exists()


def test_who_goes_through_one_game_stays_in_it(client: Client) -> None:
    path, met = "/puzzles/next/?game=peg-domain/final", set()
    rows = Puzzle.objects.filter(ruleset="peg-domain", variant="final")
    for _ in range(rows.count()):
        page = client.get(path, follow=True)
        met.add(page.context["puzzle"].pk)
        path = re.findall(r'href="(/puzzles/next/[^"]*)"', page.content.decode())[-1]
        path = path.replace("&amp;", "&")
    assert met == set(rows.values_list("pk", flat=True))


@pytest.mark.parametrize("after", ["x", "1,x,", "9" * 30, "-1", ",".join("7" * 500)])
def test_nonsense_about_what_was_passed_is_no_matter(client: Client, after: str) -> None:
    assert client.get(f"/puzzles/next/?after={after}", follow=True).status_code == 200
    assert client.get(f"{Puzzle.objects.earliest('pk').get_absolute_url()}?after={after}").content


def daily_words(client: Client, path: str = "/") -> str:
    """What the card of the daily puzzle says."""
    page = client.get(path).content.decode()
    card = re.search(r'<article class="card puzzle-daily">.*?</article>', page, re.DOTALL)
    assert card is not None
    return card[0]


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("has_account", [True, False])
def test_the_daily_one_is_not_offered_again_to_whoever_has_answered(
    client: Client, right: bool, has_account: bool
) -> None:
    daily = reading.puzzle_daily()
    assert daily is not None
    if has_account:
        client.force_login(User.objects.create_user("ada"))
    for path in ("/", "/puzzles/"):
        assert "Solve it" in daily_words(client, path)
    solve(client, daily, text=daily.solution if right else wrong_answer(daily))
    for path in ("/", "/puzzles/"):
        said = daily_words(client, path)
        assert "Solve it" not in said
        assert ("Solved today" in said) is right
        assert ("Answered today" in said) is not right
        assert 'href="/puzzles/next/"' in said
        assert f'href="{daily.get_absolute_url()}"' in said
    # To everybody else it is offered as before.
    assert "Solve it" in daily_words(Client())


def test_the_daily_one_comes_before_what_is_on_but_not_before_ones_own_matches(
    client: Client,
) -> None:
    page = client.get("/").content.decode()
    assert page.index("Puzzle of the day") < page.index("On stage now")
    ada, ben = (User.objects.create_user(name) for name in ("ada", "ben"))
    started((ada, ben))
    client.force_login(ada)
    page = client.get("/").content.decode()
    assert page.count("Puzzle of the day") == 1
    assert (
        page.index("Today's puzzle") < page.index("Your move (1)") < page.index("Puzzle of the day")
    )


def test_every_page_leads_to_puzzles(client: Client) -> None:
    for path in ("/rules/", "/puzzles/"):
        nav = re.search(
            r'<nav class="site-nav".*?</nav>', client.get(path).content.decode(), re.DOTALL
        )
        assert nav is not None
        assert 'href="/puzzles/"' in nav[0]


def test_whoever_has_answered_all_is_told_so(client: Client) -> None:
    """Of a game, and of all of them: no button leads nowhere."""
    ada = User.objects.create_user("ada")
    client.force_login(ada)
    rows = list(Puzzle.objects.all())
    game = [row for row in rows if row.ruleset == "tetronogo"]

    def answer(row: Puzzle) -> None:
        PuzzleAnswer.objects.create(puzzle=row, user=ada, text="x", right=False)

    for row in game:
        answer(row)
    page = client.get("/puzzles/").content.decode()
    assert "?game=tetronogo/standard" not in page
    assert "You have answered all of them" in page
    page = client.get("/puzzles/next/?game=tetronogo/standard", follow=True).content.decode()
    assert f"You have answered all {len(game)} puzzles of Tetronogo." in page
    assert 'href="/puzzles/next/"' in page
    for row in rows:
        if row not in game:
            answer(row)
    page = client.get("/puzzles/next/", follow=True).content.decode()
    assert f"You have answered all {len(rows)} puzzles there are." in page
    assert "/puzzles/next/" not in page


def test_a_streak_is_spoken_of_from_two_days_on(client: Client) -> None:
    ada = User.objects.create_user("ada")
    client.force_login(ada)
    solver = PuzzleSolver.objects.create(
        user=ada, answered=1, solved=1, streak=1, best_streak=1, last_daily=reading.today()
    )
    assert "in a row" not in client.get("/puzzles/").content.decode()
    solver.streak = solver.best_streak = 2
    solver.save()
    assert "<strong>2 days</strong> in a row" in client.get("/puzzles/").content.decode()


def test_the_front_door_has_the_daily_one(client: Client) -> None:
    daily = reading.puzzle_daily()
    assert daily is not None
    page = client.get("/").content.decode()
    assert "Puzzle of the day" in page
    assert f'href="{daily.get_absolute_url()}"' in page
    assert f'src="/puzzles/{daily.pk}/board.svg"' in page
    drawn = client.get(f"/puzzles/{daily.pk}/board.svg")
    assert drawn["Content-Type"].startswith("image/svg+xml")
    assert client.get("/api/v1/puzzles/daily/").json()["id"] == daily.pk
    Puzzle.objects.all().delete()
    daily_forget()
    assert "Puzzle of the day" not in client.get("/").content.decode()
    assert client.get("/puzzles/").status_code == 200
    assert client.get("/api/v1/puzzles/daily/").status_code == 404


def test_a_profile_tells_of_them(client: Client) -> None:
    ada = User.objects.create_user("ada")
    assert "Puzzle rating" not in client.get("/u/ada/").content.decode()
    client.force_login(ada)
    row = one_of("domain")
    assert solve(client, row, text=row.solution).json()["right"]
    assert "Puzzle rating" in client.get("/u/ada/").content.decode()
    assert "1 of 1 solved" in client.get("/puzzles/").content.decode()


def test_a_withdrawn_one_is_nowhere(client: Client) -> None:
    row = one_of("domain")
    Puzzle.objects.filter(pk=row.pk).update(withdrawn_at=row.created_at)
    for path in (row.get_absolute_url(), f"/puzzles/{row.pk}/board.svg"):
        assert client.get(path).status_code == 404
    assert client.get(f"/api/v1/puzzles/{row.pk}/").status_code == 404
    listed = client.get("/api/v1/puzzles/?limit=100").json()["results"]
    assert row.pk not in {each["id"] for each in listed}


# -- over the API ----------------------------------------------------------------------------------


def api(client: Client, method: str, path: str, **body: Any) -> Any:
    return getattr(client, method)(f"/api/v1/puzzles/{path}", body, content_type="application/json")


def test_puzzles_over_the_api(client: Client) -> None:
    row = one_of("domino-wars")
    listed = client.get("/api/v1/puzzles/?ruleset=domino-wars").json()["results"]
    assert {each["ruleset"] for each in listed} == {"domino-wars"}
    assert "view" not in listed[0]
    one = client.get(f"/api/v1/puzzles/{row.pk}/").json()
    assert one["view"]["decisions"][0]["seat"] == row.seat == one["seat"]
    nobody = api(client, "post", f"{row.pk}/answers/", text=row.solution)
    assert nobody.status_code in (401, 403)
    client.force_login(User.objects.create_user("ada"))
    malformed = api(client, "post", f"{row.pk}/answers/", text="nonsense")
    assert malformed.json()["code"].startswith("notation.")
    told = api(client, "post", f"{row.pk}/answers/", text=row.solution)
    assert told.status_code == 200, told.content
    assert told.json()["right"]
    shown = api(client, "post", f"{row.pk}/solution/")
    assert shown.json()["text"] == row.solution
    assert shown.json()["counted"] is False


def test_a_moderator_withdraws_one_in_the_admin_site(client: Client) -> None:
    row = one_of("tetronogo")
    client.force_login(User.objects.create_superuser("root"))
    listed = client.get("/admin/games/puzzle/")
    assert listed.status_code == 200
    page = client.get(f"/admin/games/puzzle/{row.pk}/change/").content.decode()
    assert "Withdraw" in page
    assert row.solution not in page
    client.post(f"/admin/games/puzzle/{row.pk}/withdraw/", {"reason": "Wrong"})
    row.refresh_from_db()
    assert row.withdrawn_at is not None
