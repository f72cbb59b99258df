"""Clips: a stretch of a replay as a page, and as a moving picture."""

from __future__ import annotations

import io
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from PIL import Image, ImageSequence

from accounts.models import User
from accounts.roles import Role
from accounts.services import role_grant
from core.api import limits
from games.models import Match
from games.pictures import clips
from games.pictures.diagrams import diagrams_of, reached_after
from games.pictures.keeping import picture_at_hand
from games.pictures.positions import Kind, Picture
from games.reading.clips import clip_asked
from games.reading.replays import replay_of
from games.services.matches import record_import
from tests.games.support import Play, placing
from tests.pages.support import links, words

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"


@pytest.fixture
def record(db: None) -> Match:
    """A finished match of some length."""
    head = User.objects.create_superuser("head", password="not asked for")
    role_grant(acting_user=head, user=head, role=Role.ORGANISER)
    path = PLAYTHROUGHS / "domino-black-white.standard.points.dmr.json"
    return record_import(acting_user=head, data=path.read_bytes())


def replay(match: Match, query: str = "") -> str:
    return f"/matches/{match.pk}/replay/{query}"


def frames_of(response: Any) -> list[Image.Image]:
    assert response.status_code == 200
    assert response["Content-Type"] == "image/gif"
    image = Image.open(io.BytesIO(response.content))
    assert image.info["loop"] == 0
    return [each.convert("RGB") for each in ImageSequence.Iterator(image)]


# -- the page ------------------------------------------------------------------------------------


def test_a_clip_says_so_and_leads_to_the_whole_replay(nobody: Client, record: Match) -> None:
    page = nobody.get(replay(record, "?from=3&to=8"))
    assert "This is a clip: moves 3 to 8" in words(page)
    assert replay(record, "?move=3") in links(page)
    content = page.content.decode()
    assert 'data-from="3" data-to="8"' in content
    assert page.context["move"] == 3
    assert "This is a clip" not in words(nobody.get(replay(record)))


def test_a_clip_tells_how_the_match_ended_only_where_it_comes_to_that(
    nobody: Client, record: Match
) -> None:
    last = len(replay_of(record)["steps"]) - 1
    assert " won " in words(nobody.get(f"{replay(record)}?from=3&to={last}"))
    for address in ("?from=3&to=8", "?from=0&to=8&move=3", "?from=3&to=8&result=shown"):
        page = nobody.get(f"{replay(record)}{address}")
        assert page.context["standing"] == ""
        assert " won " not in words(page)
        assert "Hide the result" not in words(page)


def test_a_link_to_a_clip_is_shown_by_its_last_position(nobody: Client, record: Match) -> None:
    content = nobody.get(replay(record, "?from=3&to=8")).content.decode()
    (image,) = re.findall(r'property="og:image" content="([^"]*)"', content)
    steps = replay_of(record)["steps"]
    assert image.endswith(f"/matches/{record.pk}/board/{steps[8]['still']}.png")
    assert re.search(r'property="og:title" content="Clip: ', content)
    (description,) = re.findall(r'property="og:description" content="([^"]*)"', content)
    assert description.startswith("Moves 3 to 8 of ")
    assert " won " not in description


def test_a_clip_without_the_result_ends_before_it(nobody: Client, record: Match) -> None:
    last = len(replay_of(record)["steps"]) - 1
    page = nobody.get(replay(record, "?from=3&to=8&result=hidden"))
    assert '"winner"' not in page.content.decode()
    assert len(page.context["replay_data"]["steps"]) == 9
    assert page.context["concealed"]
    # Whoever asks for the end is told.
    asked = f"?from={last - 2}&to={last}&result=hidden"
    assert not nobody.get(replay(record, asked)).context["concealed"]
    assert replay(record, "?result=hidden&move=3") in links(page)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?from=3", "clip.half"),
        ("?to=3", "clip.half"),
        ("?from=x&to=8", "clip.not-a-number"),
        ("?from=-3&to=8", "clip.not-a-number"),
        ("?from=3&to=²", "clip.not-a-number"),
        ("?from=8&to=8", "clip.backwards"),
        ("?from=9&to=8", "clip.backwards"),
        ("?from=3&to=99999999999999999999", "clip.beyond"),
    ],
)
def test_what_is_no_clip_is_answered_in_a_sentence(
    nobody: Client, record: Match, query: str, code: str
) -> None:
    page = nobody.get(replay(record, query))
    assert page.status_code == 400
    assert page.context["refusal"].code == code
    assert page.context["refusal"].sentence in words(page)


def test_no_sentence_tells_how_long_a_replay_is(record: Match) -> None:
    steps = replay_of(record)["steps"]
    for to in (len(steps), len(steps) + 50):
        with pytest.raises(Exception, match="has no such moves") as refused:
            clip_asked({"from": "0", "to": str(to)}, steps)
        assert str(len(steps) - 1) not in str(refused.value)


def test_nothing_is_asked_for_by_an_address_without_a_clip() -> None:
    assert clip_asked({}, []) is None
    assert clip_asked({"from": "", "to": ""}, []) is None


@pytest.mark.parametrize(
    ("first", "last", "stills"), [(0, 1, None), (0, 2, (1, 2)), (1, 79, (1, 79)), (1, 30, (1, 30))]
)
def test_a_clip_of_any_length_has_a_moving_picture(
    first: int, last: int, stills: tuple[int, int] | None
) -> None:
    steps: list[dict[str, int | None]] = [{"still": None}]
    steps += [{"still": number} for number in range(1, 80)]
    asked = {"from": str(first), "to": str(last)}
    assert clip_asked(asked, steps).stills == stills  # type: ignore[union-attr]


def test_a_clip_from_the_beginning_has_a_moving_picture_from_the_beginning(
    nobody: Client, record: Match
) -> None:
    page = nobody.get(replay(record, "?from=0&to=4"))
    still = replay_of(record)["steps"][4]["still"]
    assert f"/matches/{record.pk}/board/0-{still}.gif" in links(page)
    assert frames_of(nobody.get(f"/matches/{record.pk}/board/0-{still}.gif"))


# -- the moving picture --------------------------------------------------------------------------


def test_a_clip_is_a_moving_picture_of_its_positions(nobody: Client, record: Match) -> None:
    address = f"/matches/{record.pk}/board/3-7.gif"
    response = nobody.get(address)
    frames = frames_of(response)
    assert len(frames) == 5
    assert {each.width for each in frames} == {clips.WIDTH}
    # All of them differ: a stone is put with each.
    assert len({each.tobytes() for each in frames}) == 5
    assert response["Cache-Control"] == "public, max-age=3600"
    again = nobody.get(address, headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304
    other = nobody.get(f"/matches/{record.pk}/board/3-8.gif")
    assert other["ETag"] != response["ETag"]
    assert nobody.post(address).status_code == 405


def test_the_pictures_of_a_clip_are_those_of_its_positions(record: Match) -> None:
    single = [diagrams_of(record, [number])[0] for number in range(2, 9)]
    assert diagrams_of(record, range(2, 9)) == single


@pytest.mark.parametrize("length", [1, 2, 28, 29, 30, 31, 58, 59, 120, 1000])
def test_of_many_positions_some_are_left_out_evenly(length: int) -> None:
    shown = clips.positions_of(3, 3 + length)
    assert (shown[0], shown[-1]) == (3, 3 + length)
    assert len(shown) <= clips.AT_MOST
    assert len(shown) == length + 1 or length >= clips.AT_MOST
    steps = {after - before for before, after in pairwise(shown[:-1])}
    assert len(steps) <= 1
    assert shown[-1] - shown[-2] <= max(steps, default=length)


def test_a_long_clip_is_a_moving_picture_all_the_same(
    nobody: Client, record: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clips, "AT_MOST", 3)
    frames = frames_of(nobody.get(f"/matches/{record.pk}/board/3-8.gif"))
    assert len(frames) == 3


@pytest.mark.parametrize(
    ("stretch", "status"), [("5-5", 400), ("6-5", 400), ("1-25", 409), ("1-9999", 409)]
)
def test_what_is_no_moving_picture_is_said(
    nobody: Client, play: Play, stretch: str, status: int
) -> None:
    answer = nobody.get(f"/matches/{play.pk}/board/{stretch}.gif")
    assert answer.status_code == status
    assert answer["Content-Type"].startswith("text/html")


def test_moving_pictures_have_a_limit_of_their_own(
    nobody: Client, record: Match, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    monkeypatch.setattr(limits, "now_ms", lambda: 1_000_000_015_500)
    settings.GAUNTLET_API_LIMITS = {**settings.GAUNTLET_API_LIMITS, "clip": 2}
    address = f"/matches/{record.pk}/board/3-5.gif"
    assert [nobody.get(address).status_code for _ in range(3)] == [200, 200, 429]
    refused = nobody.get(address)
    assert refused.context["refusal"].code == "request.throttled"
    wait = refused["Retry-After"]
    assert f"at most 2 a minute. Please wait {wait} s." in words(refused)
    # Of nothing else, and of nobody else.
    assert nobody.get(f"/matches/{record.pk}/board/3.png").status_code == 200
    somebody = Client()
    somebody.force_login(
        User.objects.get(username="head"), backend="accounts.signin.backends.NameBackend"
    )
    assert somebody.get(address).status_code == 200
    cache.clear()


def test_there_is_none_of_a_match_that_is_not_there(nobody: Client, db: None) -> None:
    assert nobody.get("/matches/999999/board/1-2.gif").status_code == 404


def test_a_running_match_shows_in_a_clip_what_the_room_has_seen(play: Play) -> None:
    """The twins are the positions themselves: a clip is made of the very pictures that the room
    has of each."""
    match = placing(play).match
    length = len(reached_after(match.pk)) - 1
    whole = diagrams_of(match, range(length + 1))
    assert whole == [diagrams_of(match, [number])[0] for number in range(length + 1)]
    assert picture_at_hand(Picture(match, Kind.CLIP, 0, length)).startswith(b"GIF89a")
