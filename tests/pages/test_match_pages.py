"""A match's own pages: match, board, replay, record. What must not be known is not on them."""

from __future__ import annotations

import json
import random
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Sanction, User
from games.engine import records
from games.engine.reasons import COMMON
from games.models import Match
from games.reading import replays
from games.rulesets import REGISTRY
from games.words import result_text
from tests.engine.playthroughs import playthroughs
from tests.games.support import Play, nothing_changes, placing, started
from tests.pages.support import conceded, links, words
from tests.rulesets.domain.helpers import SMALL

Visitor = Callable[..., Client]
SetClock = Callable[[int], None]

# What stands on a page of a match as data for its script.
_DATA = re.compile(r'<script id="([a-z-]+)" type="application/json">(.*?)</script>', re.DOTALL)


def data_of(response: Any, name: str) -> Any:
    found = dict(_DATA.findall(response.content.decode()))
    return json.loads(found[name])


def comparable(response: Any, match_id: int) -> str:
    """A page without what differs from request to request and from match to match, and without how
    many other matches wait for its reader (see test_front_door.py)."""
    page = re.sub(r'(name="csrfmiddlewaretoken" value=)"[^"]*"', r"\1", response.content.decode())
    page = re.sub(r"<a [^>]*data-(?:turns|next-match)=.*?</a>", "", page, flags=re.DOTALL)
    number = (
        rf'((?:(?:/|%2F)matches(?:/|%2F)|games\.match/|data-(?:re)?match="|"match": )){match_id}\b'
    )
    page = re.sub(number, r"\1MATCH", page)
    return f"{response.status_code} {page}"


# -- the checklist -------------------------------------------------------------------------------

PAGES = ["", "replay/", "record.dmr.json", "board.svg"]


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_a_match_that_is_over_are_for_everybody(
    visitor: Visitor, play: Play, ada: User, cleo: User, page: str
) -> None:
    conceded(play)
    for client in (visitor(), visitor(ada), visitor(cleo)):
        assert client.get(f"/matches/{play.pk}/{page}").status_code == 200
        assert client.head(f"/matches/{play.pk}/{page}").status_code == 200


@pytest.mark.parametrize("page", PAGES)
def test_there_is_no_such_match(nobody: Client, page: str) -> None:
    for number in ("77", "9" * 40):
        assert nobody.get(f"/matches/{number}/{page}").status_code == 404
    assert nobody.get(f"/matches/one/{page}").status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_a_match_are_only_read(visitor: Visitor, play: Play, ada: User, page: str) -> None:
    with nothing_changes():
        assert visitor(ada).post(f"/matches/{play.pk}/{page}").status_code == 405


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("replay/", "There is a replay once the match is over."),
        ("record.dmr.json", "There is a record once the match is over."),
    ],
)
def test_what_comes_after_the_end_is_not_there_before(
    visitor: Visitor, play: Play, ada: User, orla: User, page: str, sentence: str
) -> None:
    for client in (visitor(), visitor(ada), visitor(orla)):
        response = client.get(f"/matches/{play.pk}/{page}")
        assert response.status_code == 409
        assert sentence in words(response)
        assert "match.not-over" in words(response)


@pytest.mark.parametrize(("page", "at_most"), [("", 9), ("replay/", 7), ("board.svg", 4)])
def test_a_page_costs_as_many_queries_late_as_early(
    visitor: Visitor, ada: User, ben: User, page: str, at_most: int
) -> None:
    """For whoever is the first there: what the room sees is then kept."""
    short, long = started((ada, ben)), placing(started((ada, ben)))
    for play in (short, long):
        conceded(play)
        with CaptureQueriesContext(connection) as queries:
            assert visitor().get(f"/matches/{play.pk}/{page}").status_code == 200
        assert len(queries) <= at_most


# -- the match page ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "you", "organise"),
    [("ada", 0, False), ("ben", 1, False), ("cleo", None, False), ("orla", None, True)],
)
def test_the_page_knows_its_reader(  # noqa: PLR0917  (fixtures)
    visitor: Visitor, play: Play, orla: User, cleo: User, who: str, you: int | None, organise: bool
) -> None:
    page = visitor(User.objects.get(username=who)).get(f"/matches/{play.pk}/")
    sync = data_of(page, "match-sync")
    assert (sync["you"], page.context["you"]) == (you, you)
    assert (sync["header"]["organise"], page.context["can_organise"]) == (organise, organise)
    assert ('data-part="desk"' in page.content.decode()) is organise
    assert page["Cache-Control"] == "private, no-cache"


def test_the_page_carries_what_the_api_answers(
    visitor: Visitor, play: Play, ada: User, set_clock: SetClock
) -> None:
    placing(play)
    set_clock(9000)
    client = visitor(ada)
    sync = data_of(client.get(f"/matches/{play.pk}/"), "match-sync")
    assert sync == client.get(f"/api/v1/matches/{play.pk}/").json()


def test_the_page_can_be_read_without_scripts(nobody: Client, play: Play) -> None:
    placing(play).move(0, "D4 90", 9000)
    page = nobody.get(f"/matches/{play.pk}/")
    assert "Ada placed T at D4 90." in words(page)
    assert "Ben: Place your tetromino." in words(page)
    assert 'class="board-picture"' in page.content.decode()
    assert "Tetronogo, bout 1" in page.content.decode()  # the picture's text alternative
    assert "<title>Ada vs Ben, Tetronogo · Gauntlet</title>" in page.content.decode()
    assert 'content="Ada and Ben play Tetronogo at Gauntlet. Watch it live."' in (
        page.content.decode()
    )


def test_a_match_that_is_over_tells_who_won(nobody: Client, play: Play) -> None:
    conceded(play)
    page = nobody.get(f"/matches/{play.pk}/").content.decode()
    assert "Ben won this match of Tetronogo at Gauntlet. Replay it." in page
    for address in ("", "replay/"):
        shown = words(nobody.get(f"/matches/{play.pk}/{address}"))
        assert "Ben won by concession." in shown


def test_a_result_is_told_to_its_players_in_the_second_person(
    visitor: Visitor, play: Play, ada: User, ben: User, cleo: User
) -> None:
    """On the page of the match and in its replay, without scripts; to all others in the third."""
    conceded(play)
    told = {ada: "You lost", ben: "You won", cleo: "Ben won"}
    for person, who in told.items():
        for address in ("", "replay/"):
            shown = words(visitor(person).get(f"/matches/{play.pk}/{address}"))
            assert f"{who} by concession." in shown
            assert [each for each in told.values() if f"{each} by" in shown] == [who]


@pytest.mark.parametrize(
    ("ruleset", "reason"),
    [(r.id, each.id) for r in REGISTRY for each in (*r.reasons, *COMMON)],
)
def test_every_way_to_win_is_told_to_winner_loser_and_room(ruleset: str, reason: str) -> None:
    match = Match(ruleset=ruleset, status="finished", winner=1, reason=reason, scores=[5, 9])
    loser, winner, room = (result_text(["Ada", "Ben"], match, you) for you in (0, 1, None))
    assert room.startswith("Ben won ")
    assert winner == room.replace("Ben won", "You won")
    assert loser.startswith("You lost ")
    assert loser.endswith(", 5 to 9.")
    assert room.endswith(", 9 to 5.")
    assert ("two bouts" in loser) is (reason == "two-in-a-row")
    assert "with two bouts" not in loser


def test_a_void_and_a_paused_match_say_so(nobody: Client, play: Play, orla: User) -> None:
    play.act(orla, "pause", 1000)
    assert "The match is paused." in words(nobody.get(f"/matches/{play.pk}/"))
    assert "paused" in words(nobody.get("/watch/"))
    play.act(orla, "void", 2000)
    for address in ("", "replay/"):
        shown = words(nobody.get(f"/matches/{play.pk}/{address}"))
        assert "The match is void, by an organiser's ruling." in shown
    assert "void, by an organiser's ruling" in words(nobody.get("/watch/"))


# -- secrets -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("one_seed")
@pytest.mark.parametrize("who", ["ben", "cleo", None])
@pytest.mark.parametrize("pick", ["pick T", "pick J", None])
def test_a_sealed_pick_shows_on_no_page_of_anybody_else(
    visitor: Visitor, people: dict[str, User], set_clock: SetClock, pick: str | None,
    who: str | None,
) -> None:  # fmt: skip
    """Neither what was picked nor that anything was: all pages are as if nothing had happened."""
    seen = set()
    for text in (None, pick):
        play = started((people["ada"], people["ben"]))
        if text is not None:
            play.move(0, text, 5000)
        set_clock(9000)
        client = visitor(None if who is None else people[who])
        for page in ("", "board.svg"):
            response = client.get(f"/matches/{play.pk}/{page}")
            seen.add((page, comparable(response, play.pk)))
        card = client.get("/lobby/").context.get("own_matches", [])
        seen.add(("lobby", str([(each.to_move, each.deadline) for each in card][:1])))
    assert len(seen) == 3


def test_a_sealed_pick_shows_to_the_one_who_made_it(
    visitor: Visitor, play: Play, ada: User
) -> None:
    play.move(0, "pick T", 5000)
    sync = data_of(visitor(ada).get(f"/matches/{play.pk}/"), "match-sync")
    assert sync["view"]["decisions"][0]["sealed"] == "pick T"


def dominoes(players: tuple[User, User], first: str) -> Play:
    """Domino Black & White after seat 0's first placement."""
    play = started(players, "domino-black-white")
    play.move(0, "first", 1000)
    play.move(0, first, 2000)
    return play


@pytest.mark.usefixtures("one_seed")
@pytest.mark.parametrize("who", ["ben", "cleo", None])
def test_a_hidden_half_shows_on_no_page_of_anybody_else(
    visitor: Visitor, people: dict[str, User], set_clock: SetClock, who: str | None
) -> None:
    """Two matches that differ only in a hidden number of the same colour look the same."""
    set_clock(9000)
    client = visitor(None if who is None else people[who])
    looks: list[dict[str, str]] = []
    for text in ("(3,2) DZ:DY hide DY", "(3,4) DZ:DY hide DY"):
        play = dominoes((people["ada"], people["ben"]), text)
        looks.append(
            {
                page: comparable(client.get(f"/matches/{play.pk}/{page}"), play.pk)
                for page in ("", "board.svg")
            }
        )
    assert looks[0] == looks[1]


@pytest.mark.usefixtures("one_seed")
def test_a_hidden_half_shows_to_its_owner(
    visitor: Visitor, ada: User, ben: User, set_clock: SetClock
) -> None:
    """That the comparison above would see a difference."""
    set_clock(9000)
    looks = [
        comparable(visitor(ada).get(f"/matches/{play.pk}/"), play.pk)
        for play in (
            dominoes((ada, ben), "(3,2) DZ:DY hide DY"),
            dominoes((ada, ben), "(3,4) DZ:DY hide DY"),
        )
    ]
    assert looks[0] != looks[1]


def test_the_picture_is_the_rooms_even_for_a_player(visitor: Visitor, ada: User, ben: User) -> None:
    play = dominoes((ada, ben), "(3,4) DZ:DY hide DY")
    pictures = {
        client.get(f"/matches/{play.pk}/board.svg").content
        for client in (visitor(), visitor(ada), visitor(ben))
    }
    assert len(pictures) == 1


def test_after_the_end_everything_is_shown(visitor: Visitor, ada: User, ben: User) -> None:
    looks = []
    for text in ("(3,2) DZ:DY hide DY", "(3,4) DZ:DY hide DY"):
        play = dominoes((ada, ben), text)
        play.move(1, "concede", 3000)
        looks.append(visitor().get(f"/matches/{play.pk}/board.svg").content)
    assert looks[0] != looks[1]


# -- the picture ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", [ruleset.id for ruleset in REGISTRY])
def test_the_picture_is_a_harmless_document(
    nobody: Client, ada: User, ben: User, ruleset: str
) -> None:
    play = started((ada, ben), ruleset)
    response = nobody.get(f"/matches/{play.pk}/board.svg")
    assert response["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]
    assert "default-src 'none'" in response["Content-Security-Policy"]
    root = ElementTree.fromstring(response.content)  # noqa: S314  (our own)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert not {"script", "foreignObject"} & {each.tag.split("}")[1] for each in root.iter()}


def test_the_picture_is_sent_again_only_when_the_room_sees_something_new(
    nobody: Client, play: Play
) -> None:
    address = f"/matches/{play.pk}/board.svg"
    tag = nobody.get(address)["ETag"]
    play.move(0, "pick T", 1000)  # sealed: the room sees nothing
    known = nobody.get(address, headers={"If-None-Match": tag})
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", tag)
    play.move(1, "pick L", 2000)
    new = nobody.get(address, headers={"If-None-Match": tag})
    assert new.status_code == 200
    assert new["ETag"] != tag


# -- the replay ----------------------------------------------------------------------------------


def test_the_replay_has_a_step_for_each_entry(nobody: Client, play: Play, orla: User) -> None:
    placing(play).move(0, "D4 90", 9000)
    play.act(orla, "take back", 10_000)
    play.move(0, "A1 0", 12_000)
    play.move(1, "concede", 15_000)
    response = nobody.get(f"/matches/{play.pk}/replay/")
    replay = data_of(response, "replay-data")
    assert [seat["name"] for seat in replay["header"]["seats"]] == ["Ada", "Ben"]
    told = [(step["n"], step["actor"], step["text"], step["t"]) for step in replay["steps"]]
    assert told == [
        (0, None, "", None),
        (1, 0, "pick T", 1.0),
        (2, 1, "pick L", 2.0),
        (3, 0, "first", 1.0),
        (4, 0, "D4 90", 6.0),
        (5, "organiser", "take back", None),
        (6, 0, "A1 0", 8.0),
        (7, 1, "concede", 3.0),
    ]
    assert [step["n"] for step in replay["steps"] if step["taken_back"]] == [4]
    boards = ["".join(step["view"]["game"]["board"]).count("0") for step in replay["steps"]]
    assert boards == [0, 0, 0, 0, 4, 0, 4, 4]
    assert replay["steps"][-1]["view"]["result"]["winner"] == 0
    assert replay["steps"][5]["why"] == "because"
    shown = words(response)
    assert "Ada placed T at D4 90. (taken back)" in shown
    assert "Ada: pick T" in shown


def test_the_replay_shows_what_was_hidden(nobody: Client, ada: User, ben: User) -> None:
    play = dominoes((ada, ben), "(3,4) DZ:DY hide DY")
    play.move(1, "concede", 3000)
    steps = data_of(nobody.get(f"/matches/{play.pk}/replay/"), "replay-data")["steps"]
    placed = next(step for step in steps if step["text"].startswith("("))
    assert [cell["number"] for cell in placed["view"]["game"]["cells"]] == [3, 4] or [
        cell["number"] for cell in placed["view"]["game"]["cells"]
    ] == [4, 3]


@pytest.mark.parametrize(
    ("query", "shown", "around"),
    [
        ("", 4, [0, 3, None, None]),
        ("?move=4", 4, [0, 3, None, None]),
        ("?move=2", 2, [0, 1, 3, 4]),
        ("?move=0", 0, [None, None, 1, 4]),
        ("?move=99", 4, [0, 3, None, None]),
        ("?move=-1", 4, [0, 3, None, None]),
        ("?move=%C2%B2", 4, [0, 3, None, None]),
        (f"?move={'9' * 5000}", 4, [0, 3, None, None]),
    ],
)
def test_any_move_can_be_linked_to_without_scripts(
    nobody: Client, play: Play, query: str, shown: int, around: list[int | None]
) -> None:
    conceded(placing(play))
    page = nobody.get(f"/matches/{play.pk}/replay/{query}")
    assert page.status_code == 200
    assert page.context["step"]["n"] == page.context["move"] == shown
    ways = [f"?move={number}" if number is not None else "" for number in around]
    assert [page.context["ways"][name] for name in ("first", "back", "forward", "last")] == ways
    found = [link for link in links(page) if re.fullmatch(r"\?move=\d+", link)]
    assert [f"?move={number}" for number in around if number is not None] == found[4:]


def untold(response: Any) -> str:
    """A page in which nothing may tell how the match ended."""
    page = str(response.content.decode())
    for told in ("conceded", "won", "concede", '"winner"', "10 to", "/share"):
        assert told not in page, told
    return page


def test_a_replay_keeps_its_result_until_the_end(nobody: Client, play: Play) -> None:
    conceded(placing(play))
    address = f"/matches/{play.pk}/replay/"
    assert "conceded" in nobody.get(address).content.decode()
    page = nobody.get(f"{address}?result=hidden")
    assert (page.context["move"], page.context["last"]) == (0, None)
    assert "The result is hidden until the last move." in untold(page)
    assert [step["n"] for step in data_of(page, "replay-data")["steps"]] == [0]
    page = nobody.get(f"{address}?result=hidden&move=3")
    assert [step["n"] for step in data_of(page, "replay-data")["steps"]] == [0, 1, 2, 3]
    assert page.context["ways"]["forward"] == "?result=hidden&move=4"
    untold(page)
    page = nobody.get(f"{address}{page.context['ways']['forward']}")
    assert "conceded" in page.content.decode()
    assert page.context["last"] == 4
    # What a link shows elsewhere keeps it even then.
    assert "without being told how it ends" in page.context["description"]


def test_a_device_that_wants_no_results_gets_none(nobody: Client, play: Play) -> None:
    conceded(placing(play))
    address = f"/matches/{play.pk}/replay/"
    nobody.post("/accounts/preferences/", {"results": "hidden"})
    untold(nobody.get(address))
    assert "conceded" in nobody.get(f"{address}?result=shown").content.decode()
    nobody.cookies["results"] = "nonsense"
    assert "conceded" in nobody.get(address).content.decode()


def test_the_steps_of_a_replay_are_there_once_it_is_over(nobody: Client, play: Play) -> None:
    address = f"/matches/{play.pk}/replay/"
    early = nobody.get(f"{address}steps/")
    assert early.status_code == nobody.get(address).status_code
    assert "There is a replay once the match is over." in early.content.decode()
    conceded(placing(play))
    steps = nobody.get(f"{address}steps/").json()
    assert steps == data_of(nobody.get(address), "replay-data")


def test_the_replay_is_reckoned_once(nobody: Client, play: Play, monkeypatch: Any) -> None:
    conceded(placing(play))
    reckoned: list[int] = []
    steps_of = replays.steps_of

    def counted(*given: Any) -> Any:
        reckoned.append(1)
        return steps_of(*given)

    monkeypatch.setattr(replays, "steps_of", counted)
    pages = [data_of(nobody.get(f"/matches/{play.pk}/replay/"), "replay-data") for _ in range(3)]
    assert len(reckoned) == 1
    assert pages[0] == pages[1] == pages[2]


@pytest.mark.parametrize("path", playthroughs(), ids=lambda path: path.name)
def test_every_playthrough_can_be_replayed(path: Path) -> None:
    """The pure part alone, on whole matches: the last step is the result, the views are JSON."""
    record = records.read(path.read_bytes())
    ruleset, header = records.header_of(REGISTRY, record)
    moves = [records.entry_of(move) for move in record.moves]
    steps = replays.steps_of(ruleset, header, moves, [0])
    assert [step["n"] for step in steps] == list(range(len(record.moves) + 1))
    assert msgspec.json.decode(msgspec.json.encode(steps)) == steps
    assert steps[-1]["view"]["result"] == msgspec.json.decode(msgspec.json.encode(record.result))


# -- the record ----------------------------------------------------------------------------------


def test_the_record_is_a_download_that_the_checker_accepts(nobody: Client, play: Play) -> None:
    conceded(placing(play))
    response = nobody.get(f"/matches/{play.pk}/record.dmr.json")
    assert response["Content-Type"] == records.MEDIA_TYPE
    assert response["Content-Disposition"] == (f'attachment; filename="match-{play.pk}.dmr.json"')
    assert records.check(REGISTRY, response.content)["ok"] is True


def test_the_pages_tell_who_is_muted_and_why(
    visitor: Visitor, play: Play, ada: User, ben: User
) -> None:
    address = f"/matches/{play.pk}/"
    assert "data-silenced" not in visitor(ada).get(address).content.decode()
    Sanction.objects.create(
        user=ada,
        kind=Sanction.Kind.MUTE,
        reason="shouting",
        by=User.objects.create_superuser("root"),
    )
    shown = visitor(ada).get(address).content.decode()
    words = "You are muted until a moderator lifts it. The reason: shouting."
    assert f'data-silenced="{words}"' in shown
    form = visitor(ada).get("/challenges/new/").content.decode()
    (field,) = re.findall(r'<input[^>]*name="message"[^>]*>', form)
    assert "disabled" in field
    assert words in form
    assert "disabled" not in visitor(ben).get("/challenges/new/").content.decode()


@pytest.mark.parametrize("ruleset", [each.id for each in REGISTRY])
def test_nobody_is_called_by_a_seat(
    ruleset: str, visitor: Visitor, ada: User, ben: User, rng: random.Random
) -> None:
    """On no page, in no picture and in no file for people, on or over."""
    play = started((ada, ben), ruleset, options={"pool": SMALL} if ruleset == "domain" else {})

    def look(*paths: str) -> None:
        for path in paths:
            answer = visitor(ada).get(path)
            if answer.status_code != 200 or answer["Content-Type"] == "image/png":
                continue
            text = b"".join(answer) if answer.streaming else answer.content
            shown = pictures_unfolded(text.decode())
            assert not re.search(r"\bseat [01]\b", shown, re.IGNORECASE), path

    here = f"/matches/{play.pk}"
    look(f"{here}/", f"{here}/board.svg", f"/rules/{ruleset}/")
    play.to_the_end(rng.random, at=0)
    look(f"{here}/", f"{here}/board.svg", f"{here}/replay/", f"{here}/board/9.svg", "/", "/watch/")


def pictures_unfolded(page: str) -> str:
    """A page with the pictures that it holds as text."""
    folded = re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page)
    return page + "".join(b64decode(each).decode() for each in folded)
