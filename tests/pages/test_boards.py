"""Boards as PNG for everybody, and answers painted by the players."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image, ImageDraw

from accounts.models import User
from games.engine import live as lives
from games.engine.table import AnyRuleset, Header
from games.pictures.boards import png_of
from games.rulesets import REGISTRY
from games.rulesets.peg_domain import painting
from games.views.boards import LARGEST_PICTURE
from tests.games.support import SECOND, Play, nothing_changes, started
from tests.pages.support import links

Visitor = Callable[..., Client]


@pytest.fixture
def pegs(ada: User, ben: User) -> Play:
    """The final of Peg Domain; Ada plays red and faces her first turn since 10 s."""
    play = started((ada, ben), "peg-domain", variant="final")
    for at, (seat, text) in enumerate(
        [(0, "take order"), (0, "ready"), (1, "ready"), (0, "first"), (1, "blue")], start=6
    ):
        play.move(seat, text, at * SECOND)
    return play


def picture_of(response: Any) -> Image.Image:
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"
    image = Image.open(io.BytesIO(response.content))
    image.load()
    return image


def test_the_board_is_there_as_png_for_everybody(nobody: Client, play: Play) -> None:
    address = f"/matches/{play.pk}/board.png"
    response = nobody.get(address)
    assert picture_of(response).width > 400
    again = nobody.get(address, headers={"If-None-Match": response["ETag"]})
    assert again.status_code == 304
    assert nobody.post(address).status_code == 405


@pytest.mark.parametrize(
    "name", ["board.png", "board.svg", "board/1.png", "board/1.svg", "share.png"]
)
def test_who_has_an_older_drawing_gets_the_new_one(
    name: str, nobody: Client, pegs: Play, settings: Any
) -> None:
    address = f"/matches/{pegs.pk}/{name}"
    tag = nobody.get(address)["ETag"]
    assert nobody.get(address, headers={"If-None-Match": tag}).status_code == 304
    settings.RELEASE = f"{settings.RELEASE}, drawn anew"
    assert nobody.get(address, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("address", ["board.png", "board/1.png", "paint.png"])
def test_there_is_nothing_of_a_match_that_there_is_not(nobody: Client, address: str) -> None:
    assert nobody.get(f"/matches/999999/{address}").status_code in (404, 409)


def test_the_board_after_a_turn_stays_at_its_address(nobody: Client, pegs: Play, rng: Any) -> None:
    address = f"/matches/{pegs.pk}/board/"
    before = nobody.get(f"{address}7.png").content
    pegs.move(0, pegs.random_move(0, rng.random), 40 * SECOND)
    after = nobody.get(f"{address}8.png").content
    assert before != after
    drawing = nobody.get(f"{address}8.svg")
    assert drawing["Content-Type"].startswith("image/svg+xml")
    assert png_of(drawing.content.decode()) == after
    pegs.move(1, "finish", 50 * SECOND)
    pegs.move(0, "finish", 60 * SECOND)
    assert pegs.match.is_over
    assert nobody.get(f"{address}7.png").content == before
    assert nobody.get(f"{address}8.png").content == after
    assert nobody.get(f"{address}8.svg").content == drawing.content
    assert nobody.get(f"{address}999.png").status_code == 409
    assert nobody.get(f"{address}999.svg").status_code == 409
    assert nobody.get(f"{address}0.png").status_code == 200  # before anything was told


def test_a_sealed_removal_makes_no_board(nobody: Client, pegs: Play) -> None:
    """Nor may its picture be counted up to: the numbers are those of the room's log."""
    last = f"/matches/{pegs.pk}/board/8.png"
    pegs.move(1, "no removal", 15 * SECOND)
    assert nobody.get(last).status_code == 409
    pegs.move(0, "finish", 20 * SECOND)
    assert nobody.get(last).status_code == 200


# -- painting ------------------------------------------------------------------------------------


def painted(template: bytes, cut: list[str], cover: list[str]) -> bytes:
    image = Image.open(io.BytesIO(template)).convert("RGB")
    pen = ImageDraw.Draw(image)
    for grid, names in ((painting.PALLET, cut), (painting.DOMAIN, cover)):
        for name in names:
            x, y = grid.corner(name)
            pen.rectangle((x + 1, y + 1, x + grid.cell - 1, y + grid.cell - 1), fill="#c01080")
    held = io.BytesIO()
    image.save(held, "PNG")
    return held.getvalue()


def send(client: Client, play: Play, data: bytes) -> Any:
    upload = SimpleUploadedFile("mine.png", data, content_type="image/png")
    return client.post(f"/matches/{play.pk}/paint/", {"picture": upload})


def test_a_painted_placement_is_read_and_not_submitted(
    visitor: Visitor, ada: User, pegs: Play, rng: Any
) -> None:
    client = visitor(ada)
    text = pegs.random_move(0, rng.random)
    state = pegs.held.live.table.state
    after = pegs.held.ruleset.apply(state, ((0, pegs.held.ruleset.parse(_tidy(text))),))
    last = pegs.held.ruleset.view(after, "room")["last"]
    template = client.get(f"/matches/{pegs.pk}/paint.png").content
    with nothing_changes():
        answer = send(client, pegs, painted(template, last["cut"], last["covered"]))
    assert answer.status_code == 200
    readings = answer.json()["readings"]
    found = [
        pegs.held.ruleset.apply(state, ((0, pegs.held.ruleset.parse(_tidy(each["text"]))),))
        for each in readings
    ]
    assert after.standing in [each.standing for each in found]
    assert all(each["picture"].startswith("data:image/svg+xml;base64,") for each in readings)


def _tidy(text: str) -> str:
    return text.lower().replace(" > ", ">")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"nonsense", "picture.unreadable"),
        (b"\x89PNG" + bytes(LARGEST_PICTURE), "picture.too-large"),
    ],
    ids=["nonsense", "too large"],
)
def test_what_is_no_picture_is_refused(
    visitor: Visitor, ada: User, pegs: Play, data: bytes, code: str
) -> None:
    with nothing_changes():
        answer = send(visitor(ada), pegs, data)
    assert (answer.status_code, answer.json()["code"]) == (409, code)
    assert answer.json()["sentence"].endswith(".")


def test_a_picture_must_be_there(visitor: Visitor, ada: User, pegs: Play) -> None:
    answer = visitor(ada).post(f"/matches/{pegs.pk}/paint/")
    assert answer.json()["code"] == "picture.none"
    assert visitor(ada).get(f"/matches/{pegs.pk}/paint/").status_code == 405


def test_only_the_player_whose_placement_it_is_gets_a_template(
    visitor: Visitor, nobody: Client, ada: User, ben: User, cleo: User, pegs: Play
) -> None:
    address = f"/matches/{pegs.pk}/paint.png"
    assert picture_of(visitor(ada).get(address)).size == (painting.WIDTH, painting.HEIGHT)
    for client, status in ((nobody, 403), (visitor(cleo), 403), (visitor(ben), 409)):
        assert client.get(address).status_code == status
        assert client.post(f"/matches/{pegs.pk}/paint/").status_code == status


def test_other_games_take_no_pictures(visitor: Visitor, ada: User, play: Play) -> None:
    assert visitor(ada).get(f"/matches/{play.pk}/paint.png").status_code == 409
    assert send(visitor(ada), play, b"").json()["code"] == "picture.not-taken"


def test_a_forged_upload_is_refused(ada: User, pegs: Play) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada, backend="accounts.signin.backends.NameBackend")
    assert client.post(f"/matches/{pegs.pk}/paint/").status_code == 403


def test_pages_link_to_the_pictures(nobody: Client, pegs: Play) -> None:
    page = nobody.get(f"/matches/{pegs.pk}/")
    for name in ("board.png", "board.svg"):
        assert f"/matches/{pegs.pk}/{name}" in links(page)
        assert nobody.get(f"/matches/{pegs.pk}/{name}").status_code == 200


def test_each_step_of_a_replay_links_to_its_picture(nobody: Client, pegs: Play) -> None:
    """A turn's picture is there once the room was told of the turn: not for a sealed removal."""
    pegs.move(1, "no removal", 40 * SECOND)
    pegs.move(0, "finish", 41 * SECOND)
    pegs.move(0, "concede", 42 * SECOND)
    steps = nobody.get(f"/matches/{pegs.pk}/replay/").context["replay_data"]["steps"]
    told = [step["n"] for step in steps if step["still"] is not None]
    sealed = next(step["n"] for step in steps if step["text"] == "no removal")
    assert sealed not in told
    assert 0 in told
    room = [step["still"] for step in steps if step["still"] is not None]
    assert room == list(range(len(room)))
    for step in steps:
        page = nobody.get(f"/matches/{pegs.pk}/replay/?move={step['n']}")
        if step["still"] is None:
            assert 'data-part="picture"' in page.content.decode()
            assert " hidden data-part" in page.content.decode()
        else:
            address = f"/matches/{pegs.pk}/board/{step['still']}.png"
            assert address in links(page)
    assert picture_of(nobody.get(f"/matches/{pegs.pk}/board/{room[-1]}.png")).width > 400
    assert nobody.get(f"/matches/{pegs.pk}/board/{room[-1] + 1}.png").status_code == 409


def test_an_icon_is_found_where_it_is_looked_for(nobody: Client) -> None:
    answer = nobody.get("/favicon.ico")
    assert answer.status_code == 302
    assert answer["Location"].endswith(".png")
    assert "icon-192" in answer["Location"]
    assert nobody.post("/favicon.ico").status_code == 405


@pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda ruleset: ruleset.id)
def test_pictures_have_their_words_whatever_fonts_the_machine_has(ruleset: AnyRuleset) -> None:
    variant = ruleset.variants[0].id
    options = msgspec.convert({}, ruleset.options_type)
    header = Header(ruleset=ruleset.id, variant=variant, options=options, advantage=0)
    live = lives.begin(ruleset, header, at=0, random=lambda: 0.5).live
    drawing = ruleset.picture(ruleset.view(live.table.state, "room"), ("Ada", "Ben"))
    wordless = re.sub(r"<text\b.*?</text>", "", drawing, flags=re.DOTALL)
    assert wordless != drawing
    shown = png_of(drawing, scale=1)
    assert shown != png_of(wordless, scale=1)
    # And none that the machine happens to have.
    named = re.sub(r"font-family=\"[^\"]*\"", 'font-family="sans-serif"', drawing)
    assert shown == png_of(named, scale=1)
