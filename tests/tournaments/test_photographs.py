"""What an uploaded picture becomes, and what is refused before it is unpacked."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from core.refusals import Refusal
from tournaments.photographs import (
    BYTES_MAX,
    PIXELS_MAX,
    SIDE_MIN,
    SQUARE,
    UNPACKED_MAX,
    WIDE,
    sizes_of,
)

RED, BLUE = (220, 20, 20), (20, 20, 220)


def file(image: Image.Image, kind: str = "JPEG", **more: Any) -> bytes:
    written = BytesIO()
    image.save(written, kind, **more)
    return written.getvalue()


def shown(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    assert image.format == "WEBP"
    return image


def refused(content: bytes, code: str) -> None:
    with pytest.raises(Refusal) as raised:
        sizes_of(content, SQUARE)
    assert raised.value.code == code
    assert raised.value.sentence.endswith(".")


def is_like(image: Image.Image, at: tuple[float, float], colour: tuple[int, ...]) -> bool:
    place = (int(at[0] * (image.width - 1)), int(at[1] * (image.height - 1)))
    found = image.convert("RGB").getpixel(place)
    assert isinstance(found, tuple)
    return all(abs(one - other) < 40 for one, other in zip(found, colour, strict=True))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("shape", [SQUARE, WIDE])
def test_each_kind_is_kept_in_every_size(kind: str, shape: Any) -> None:
    sizes = sizes_of(file(Image.new("RGB", (1600, 1500), RED), kind), shape)
    assert list(sizes) == list(shape.widths)
    for width, data in sizes.items():
        assert shown(data).size == (width, shape.height_of(width))
        assert is_like(shown(data), (0.5, 0.5), RED)


def test_the_middle_is_cut_out() -> None:
    image = Image.new("RGB", (900, 300), BLUE)
    image.paste(RED, (300, 0, 600, 300))
    small = shown(sizes_of(file(image, "PNG"), SQUARE)[80])
    for corner in ((0.05, 0.05), (0.95, 0.05), (0.05, 0.95), (0.95, 0.95)):
        assert is_like(small, corner, RED)


def test_what_lay_on_its_side_stands() -> None:
    image = Image.new("RGB", (400, 400), BLUE)
    image.paste(RED, (0, 0, 200, 400))  # red on the left
    exif = Image.Exif()
    exif[0x0112] = 6  # is to be turned by a quarter: red is above then
    turned = shown(sizes_of(file(image, exif=exif), SQUARE)[160])
    assert is_like(turned, (0.5, 0.1), RED)
    assert is_like(turned, (0.5, 0.9), BLUE)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_nothing_else_of_the_file_is_kept(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010F] = "Maker of phones"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)  # where it was taken
    sent = file(Image.new("RGB", (300, 300), RED), kind, exif=exif, icc_profile=b"a profile" * 20)
    assert b"Maker of phones" in sent
    for data in sizes_of(sent, SQUARE).values():
        image = shown(data)
        assert dict(image.getexif()) == {}
        assert not {"exif", "icc_profile", "xmp"} & set(image.info)
        assert b"Maker of phones" not in data


def test_nothing_is_made_larger() -> None:
    sizes = sizes_of(file(Image.new("RGB", (100, 120), RED)), SQUARE)
    assert [shown(data).size for data in sizes.values()] == [(80, 80), (100, 100), (100, 100)]


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "LA", "CMYK", "I;16", "1"])
def test_whatever_its_colours_are_it_is_shown(mode: str) -> None:
    kind = "JPEG" if mode == "CMYK" else "PNG"
    sizes = sizes_of(file(Image.new(mode, (200, 200)), kind), SQUARE)
    assert shown(sizes[80]).mode == ("RGBA" if mode in ("RGBA", "LA") else "RGB")


def test_what_shows_through_still_does() -> None:
    image = Image.new("RGBA", (200, 200), (0, 0, 0, 0))
    assert shown(sizes_of(file(image, "PNG"), SQUARE)[80]).getpixel((40, 40))[3] == 0  # type: ignore[index]


@pytest.mark.parametrize("brand", [b"heic", b"mif1", b"heix", b"avif"])
def test_phones_own_kind_is_refused_with_a_way_out(brand: bytes) -> None:
    refused(b"\x00\x00\x00\x18ftyp" + brand + b"\x00" * 200, "picture.heic")


def test_other_kinds_are_refused() -> None:
    for kind in ("GIF", "BMP", "TIFF", "ICO"):
        refused(file(Image.new("RGB", (200, 200)), kind), "picture.kind")
    refused(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "picture.kind")
    refused(b"<script>", "picture.kind")
    refused(b"", "picture.missing")


def test_what_is_broken_is_refused() -> None:
    for kind in ("JPEG", "PNG", "WEBP"):
        whole = file(Image.effect_noise((300, 300), 60).convert("RGB"), kind)
        refused(whole[: len(whole) // 2], "picture.broken")


def test_what_is_too_large_or_too_small_is_refused() -> None:
    refused(b"\xff\xd8\xff" + b"\x00" * BYTES_MAX, "picture.bytes")
    refused(file(Image.new("RGB", (SIDE_MIN - 1, 400))), "picture.small")


def bomb(across: int, down: int) -> bytes:
    """A PNG that says it is so large, and holds next to nothing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(
            ">I", zlib.crc32(name + data)
        )  # fmt: skip

    head = struct.pack(">IIBBBBB", across, down, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\x00" * 1000)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("across", "down"),
    [(60_000, 60_000), (PIXELS_MAX // 1000 + 1, 1000), (UNPACKED_MAX // 1000 + 1, 1000)],
)
def test_a_bomb_is_refused_before_it_is_unpacked(
    across: int, down: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda _self: pytest.fail("unpacked"))
    refused(bomb(across, down), "picture.pixels")


def test_a_large_photograph_is_read_small() -> None:
    """As phones take them: of more pixels than are ever unpacked."""
    image = Image.new("RGB", (7000, 5000), RED)
    assert image.width * image.height > UNPACKED_MAX
    sizes = sizes_of(file(image), SQUARE)
    assert shown(sizes[480]).size == (480, 480)
    refused(file(image, progressive=True), "picture.pixels")
