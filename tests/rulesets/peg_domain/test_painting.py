"""Placements painted over the template by another program, and what is no such picture."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable
from functools import cache
from itertools import pairwise

import pytest
from PIL import Image, ImageDraw

from core.refusals import Refusal
from games.engine.course import MatchCourse
from games.engine.decisions import Decision
from games.pictures.boards import png_of
from games.rulesets.peg_domain import painting
from games.rulesets.peg_domain.boards import PALLET_SQUARE, STRIDE
from games.rulesets.peg_domain.picture import Grid
from tests.engine.helpers import refused
from tests.rulesets.peg_domain.helpers import RULES, add, begun, state

CUT = ("A1", "B1", "C1", "D1")
COVER = ("D5", "E5", "F5", "G5")


def template(now: MatchCourse) -> bytes:
    return _drawn(RULES.template(state(now), _decision(now)))


@cache
def _drawn(svg: str) -> bytes:
    """A template as PNG: most tests have the same one, and drawing it takes longer than they do."""
    return png_of(svg, scale=1)


def _decision(now: MatchCourse) -> Decision:
    return next(each for each in RULES.decisions(state(now)) if each.kind == "turn")


def painted(
    now: MatchCourse,
    cut: Iterable[str] = CUT,
    cover: Iterable[str] = COVER,
    *,
    colour: str = "#7a1fd0",
    inset: float = 1,
) -> Image.Image:
    image = Image.open(io.BytesIO(template(now))).convert("RGB")
    draw = ImageDraw.Draw(image)
    for grid, names in ((painting.PALLET, cut), (painting.DOMAIN, cover)):
        for name in names:
            draw.rectangle(_box(grid, name, inset), fill=colour)
    return image


def _box(grid: Grid, name: str, inset: float) -> tuple[float, float, float, float]:
    x, y = grid.corner(name)
    return x + inset, y + inset, x + grid.cell - inset, y + grid.cell - inset


def as_file(image: Image.Image, kind: str = "PNG", **more: object) -> bytes:
    held = io.BytesIO()
    image.save(held, kind, **more)
    return held.getvalue()


def texts(now: MatchCourse, data: bytes) -> list[str]:
    found = RULES.read_picture(state(now), _decision(now), template(now), data)
    for each in found:
        RULES.validate(state(now), _decision(now), each.move)
        assert each.picture.startswith("<svg")
    return [RULES.print(each.move) for each in found]


def code_of(now: MatchCourse, data: bytes) -> str:
    with pytest.raises(Exception, match=r"^[a-z]+\.") as caught:
        texts(now, data)
    return str(caught.value.code)  # type: ignore[attr-defined]


BOTH_WAYS = ["A1 RRR > D5 0"]


def test_a_painted_placement_is_read() -> None:
    """The other way round the pegs would lie on the same squares: that is the same placement."""
    now = begun("tempo-up")
    assert texts(now, as_file(painted(now))) == BOTH_WAYS


@pytest.mark.parametrize("colour", ["#ff0000", "#000000", "#00a000", "#1030ff", "#7a1fd0"])
def test_any_strong_colour_will_do(colour: str) -> None:
    now = begun("tempo-up")
    assert texts(now, as_file(painted(now, colour=colour))) == BOTH_WAYS


@pytest.mark.parametrize("quality", [95, 75, 40])
def test_jpeg_noise_is_tolerated(quality: int) -> None:
    now = begun("tempo-up", "0 A3 D > A3 0", "1 A3 D > I3 0")
    assert texts(now, as_file(painted(now), "JPEG", quality=quality)) == BOTH_WAYS


@pytest.mark.parametrize("size", [0.6, 0.85, 1.5, 2.0])
def test_a_resized_picture_is_read(size: float) -> None:
    now = begun("tempo-up")
    image = painted(now)
    resized = image.resize((round(image.width * size), round(image.height * size)))
    assert texts(now, as_file(resized)) == BOTH_WAYS
    assert texts(now, as_file(resized, "JPEG", quality=80)) == BOTH_WAYS


def test_soft_edges_and_gaps_are_tolerated() -> None:
    now = begun("tempo-up")
    image = painted(now, inset=5)
    small = image.resize(
        (image.width // 2 * 2 - 200, round(image.height * (1 - 200 / image.width)))
    )
    assert texts(now, as_file(small)) == BOTH_WAYS


def test_an_untouched_template_says_nothing() -> None:
    now = begun("tempo-up")
    assert code_of(now, template(now)) == "picture.nothing"


def test_all_fitting_placements_are_shown() -> None:
    """An L of three squares with a peg at one end and one in the corner: it fits one way; a line of
    three with pegs at one end and in the middle fits two ways."""
    now = begun("gauntlet")
    line = painted(now, ("A1", "A2", "B2"), ("D5", "E5", "E6"))
    assert len(texts(now, as_file(line))) == 1
    row = painted(now, ("A8", "A9", "A10"), ("D5", "D6", "D7"))
    assert texts(now, as_file(row)) == ["A8 A9 A10 > D5 0", "A8 A9 A10 > D7 180"]


def test_a_shape_that_is_no_path_is_for_the_gauntlet() -> None:
    shape = ("A1", "B1", "C1", "D1", "B2")
    cover = ("A1", "B1", "C1", "D1", "B2")
    now = begun("gauntlet")
    assert texts(now, as_file(painted(now, shape, cover))) == ["A1 D1 B1 C1 B2 > A1 0"]
    assert code_of(begun("tempo-up"), as_file(painted(now, shape, cover))) == "picture.no-path"


@pytest.mark.parametrize(
    ("cut", "cover", "code"),
    [
        (CUT, COVER[:3], "picture.counts"),
        (CUT, (), "picture.nothing"),
        ((), COVER, "picture.nothing"),
        (CUT, ("A1", "A2", "B1", "B2"), "picture.no-fit"),
        (("B1", "C1", "D1"), COVER[:3], "cut.not-two-pegs"),
        (("A1", "A2", "A3"), ("A1", "A2", "A3"), "cut.not-two-pegs"),
    ],
)
def test_what_cannot_be_understood_is_said(
    cut: tuple[str, ...], cover: tuple[str, ...], code: str
) -> None:
    now = begun("gauntlet")
    found = code_of(now, as_file(painted(now, cut, cover)))
    assert found == code or (code.startswith("cut") and found.startswith("cut"))


@pytest.mark.parametrize("cut", [("B1", "C1", "D1"), ("A1", "A2", "A3")])
def test_where_only_paths_are_cut_the_number_of_pegs_is_what_is_wrong(cut: tuple[str, ...]) -> None:
    """Whoever paints knows nothing of how a cut-out is typed."""
    now = begun("tempo-up")
    cover = ("D5", "E5", "F5") if cut[0] == "B1" else ("D5", "D6", "D7")
    assert code_of(now, as_file(painted(now, cut, cover))) == "cut.not-two-pegs"


@pytest.mark.parametrize(("columns", "rows"), [(5, 5), (5, 6), (7, 7), (9, 8)])
def test_a_path_through_a_large_block_is_found(columns: int, rows: int) -> None:
    """From one corner to where a path can end: beside it, or in the opposite corner."""
    block = {(row + 1) * STRIDE + column for row in range(rows) for column in range(columns)}
    start = min(block)
    end = start + 1 if len(block) % 2 == 0 else max(block)
    path = painting._path(start, end, block)
    assert path is not None
    assert (path[0], path[-1], set(path), len(path)) == (start, end, block, len(block))
    assert {abs(b - a) for a, b in pairwise(path)} <= {1, STRIDE}


def test_there_is_no_path_through_a_block_that_has_none() -> None:
    """Squares alternate like those of a chess board, so both ends are not of the same kind."""
    block = {(row + 1) * STRIDE + column for row in range(4) for column in range(4)}
    assert painting._path(min(block), max(block), block) is None
    assert painting._path(min(block), min(block) + 1, {*block, max(block) + 40}) is None


# All but D8 are on a path from C8 to H6, which takes longer to find than anybody may wait.
LARGE = tuple([f"{column}{row}" for column in "ABCDEFGHI" for row in range(1, 10)])
HARD = tuple([name for name in LARGE if name != "D8"])


def test_a_search_that_was_cut_short_says_nothing_of_there_being_no_path() -> None:
    squares = {PALLET_SQUARE[name] for name in HARD}
    with pytest.raises(painting._CutShort):
        painting._path(PALLET_SQUARE["C8"], PALLET_SQUARE["H6"], squares)
    # With one square less there is none, whatever the search: their kinds do not alternate.
    squares.remove(PALLET_SQUARE["A1"])
    assert painting._path(PALLET_SQUARE["C8"], PALLET_SQUARE["H6"], squares) is None


def test_what_was_not_found_out_is_said_and_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where shapes are cut, any order of the squares says the same, so no path is needed."""
    monkeypatch.setattr(painting, "LONGEST_PATH", 2)
    now = begun("tempo-up")
    with pytest.raises(Refusal, match=r"^picture\.path-open: .* write it out") as caught:
        texts(now, as_file(painted(now)))
    assert caught.value.squares == CUT
    assert texts(begun("gauntlet"), as_file(painted(begun("gauntlet")))) == ["A1 D1 B1 C1 > D5 0"]


def test_a_placement_on_a_peg_is_refused_like_any_other() -> None:
    now = begun("tempo-up", "0 A3 D > D5 0", "1 A3 D > I3 0")
    assert code_of(now, as_file(painted(now))) == "place.on-peg"


def in_the_final(*items: tuple[int, str]) -> MatchCourse:
    """Seat 0 is to move, and pegs stand on D5, D6, I3 and I4."""
    rounds = ("1 no removal", "0 A3 D > D5 0", "0 no removal", "1 A3 D > I3 0")
    return begun("final", *rounds, items=items)


def test_a_peg_below_is_subtracted_by_whoever_may() -> None:
    now = in_the_final((0, "peg-subtraction"))
    found = RULES.read_picture(state(now), _decision(now), template(now), as_file(painted(now)))
    assert [RULES.print(each.move) for each in found] == ["A1 RRR > D5 0 minus D5"]
    for each in found:
        assert "Peg Subtraction takes the peg on D5." in each.picture
        RULES.validate(state(now), _decision(now), each.move)


def test_without_the_item_it_is_refused_for_the_peg() -> None:
    for items in ((), ((1, "peg-subtraction"),)):
        now = in_the_final(*items)
        assert code_of(now, as_file(painted(now))) == "place.on-peg"


def test_two_pegs_below_are_one_too_many() -> None:
    now = in_the_final((0, "peg-subtraction"))
    cut, cover = ("A1", "A2"), ("D5", "D6")
    assert code_of(now, as_file(painted(now, cut, cover))) == "place.on-peg"


def test_a_square_that_is_painted_in_part_is_asked_about() -> None:
    now = begun("tempo-up")
    image = painted(now)
    x, y = painting.PALLET.corner("F12")
    half = (x, y, x + painting.PALLET.cell, y + painting.PALLET.cell // 2)
    ImageDraw.Draw(image).rectangle(half, fill="#7a1fd0")
    refusal = refused("picture.unclear", painting.painted_squares, template(now), as_file(image))
    assert "F12 on the pallet" in refusal.sentence


def bomb(width: int, height: int) -> bytes:
    """A tiny file that claims to be an enormous picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(100_000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def gif() -> bytes:
    return as_file(Image.new("RGB", (996, 676)), "GIF")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "picture.unreadable"),
        (b"not a picture", "picture.unreadable"),
        (b"\x89PNG\r\n\x1a\n", "picture.unreadable"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "picture.unreadable"),
        (gif(), "picture.unreadable"),
        (bomb(9_960, 6_760), "picture.too-many-pixels"),
        (bomb(60_000, 60_000), "picture.unreadable"),
        (bomb(996, 676), "picture.unreadable"),
        (as_file(Image.new("RGB", (249, 169))), "picture.too-small"),
        (as_file(Image.new("RGB", (900, 900))), "picture.shape"),
    ],
    ids=["empty", "text", "cut short", "svg", "gif", "large", "bomb", "torn", "small", "cropped"],
)
def test_other_files_are_refused_safely(data: bytes, code: str) -> None:
    assert code_of(begun("tempo-up"), data) == code


def test_only_placements_are_painted() -> None:
    now = begun("final")
    removal = next(each for each in RULES.decisions(state(now)) if each.kind == "removal")
    refused("picture.not-taken", RULES.template, state(now), removal)
    refused("picture.not-taken", RULES.read_picture, state(now), removal, b"", b"")
    assert add(now, "0 A1 D > A1 0 @30")
