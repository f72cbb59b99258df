"""What an uploaded picture becomes: read with care, turned upright, cropped in the middle, and
written anew in a few sizes, so that nothing but what it shows is left of the file.

Pure: bytes in, bytes out.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import Final, NamedTuple

from PIL import Image, ImageOps, UnidentifiedImageError

from core.refusals import Refusal

BYTES_MAX: Final = 10 * 1024 * 1024
#: Of what can be read small at once, as most phones write it, and of everything else, which has
#: to be unpacked whole first.
PIXELS_MAX: Final = 50_000_000
UNPACKED_MAX: Final = 24_000_000
SIDE_MIN: Final = 96
TYPES: Final = ("image/jpeg", "image/png", "image/webp")
_FORMATS: Final = ("JPEG", "PNG", "WEBP")
#: How a file begins that phones write and browsers do not show: its type comes behind its length.
_HEIC: Final = (b"heic", b"heix", b"heif", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"avif")
_QUALITY: Final = 80


class Shape(NamedTuple):
    """What is cut out of a picture: its width to its height, and the widths in which it is kept,
    the smallest first."""

    across: int
    down: int
    widths: tuple[int, ...]

    def height_of(self, width: int) -> int:
        """How high the size of a width is."""
        return round(width * self.down / self.across)


SQUARE: Final = Shape(1, 1, (80, 160, 480))
#: As links show it elsewhere.
WIDE: Final = Shape(1200, 630, (600, 1200))
#: As most cameras take it: hardly anything is cut off.
LANDSCAPE: Final = Shape(4, 3, (480, 1200))


def sizes_of(content: bytes, shape: Shape) -> dict[int, bytes]:
    """The sizes of an uploaded picture as WebP, by their widths; nothing is made larger than it is.

    Raises Refusal ``picture.missing``, ``picture.bytes``, ``picture.heic``, ``picture.kind``,
    ``picture.pixels``, ``picture.small`` and ``picture.broken``.
    """
    if not content:
        raise Refusal("picture.missing", "Please choose a picture.", field="picture")
    if len(content) > BYTES_MAX:
        raise Refusal(
            "picture.bytes", f"A picture has at most {BYTES_MAX // 2**20} MB.", field="picture"
        )
    if content[4:8] == b"ftyp" and content[8:12] in _HEIC:
        raise Refusal(
            "picture.heic",
            "This is a HEIC picture, which browsers do not show. Please save it as JPEG first: in "
            "an iPhone's settings, Camera, Formats, “Most Compatible” makes such pictures.",
            field="picture",
        )
    try:
        # Far too many pixels are a warning of its own; ours are counted below.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            return _made(content, shape)
    except UnidentifiedImageError as error:
        sentence = "A picture is a JPEG, PNG or WebP file."
        raise Refusal("picture.kind", sentence, field="picture") from error
    except Image.DecompressionBombError as error:
        raise _too_many() from error
    # What the readers of pictures raise over a file that is broken, or made to break them.
    except (OSError, SyntaxError, ValueError, EOFError, IndexError, OverflowError) as error:
        sentence = "This picture cannot be read: the file is damaged."
        raise Refusal("picture.broken", sentence, field="picture") from error


def _made(content: bytes, shape: Shape) -> dict[int, bytes]:
    with Image.open(BytesIO(content), formats=_FORMATS) as opened:
        across, down = opened.size
        if across * down > PIXELS_MAX:
            raise _too_many()
        if min(across, down) < SIDE_MIN:
            sentence = f"A picture is at least {SIDE_MIN} pixels wide and high."
            raise Refusal("picture.small", sentence, field="picture")
        largest = max(shape.widths)
        if opened.format == "JPEG" and not opened.info.get("progressive"):
            # Read at half its size, a quarter or an eighth where that is still enough: of either
            # side, since it may lie on its side.
            opened.draft("RGB", (2 * largest, 2 * largest))
        elif across * down > UNPACKED_MAX:
            raise _too_many(UNPACKED_MAX)
        opened.load()
        upright = ImageOps.exif_transpose(opened)
        plain = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    cropped = _cropped(plain, shape)
    return {width: _written(cropped, width, shape.height_of(width)) for width in shape.widths}


def _cropped(image: Image.Image, shape: Shape) -> Image.Image:
    across, down = image.size
    width = min(across, max(1, down * shape.across // shape.down))
    height = min(down, max(1, across * shape.down // shape.across))
    left, top = (across - width) // 2, (down - height) // 2
    return image.crop((left, top, left + width, top + height))


def _written(image: Image.Image, width: int, height: int) -> bytes:
    if image.width > width:
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    # A new image of these pixels: what else the file held (where it was taken, by what) is gone.
    bare = Image.frombytes(image.mode, image.size, image.tobytes())
    written = BytesIO()
    bare.save(written, "WEBP", quality=_QUALITY, method=4)
    return written.getvalue()


def _too_many(most: int = PIXELS_MAX) -> Refusal:
    return Refusal(
        "picture.pixels",
        f"This picture has too many pixels: at most {most // 10**6} million are taken. Please make "
        "it smaller first.",
        field="picture",
    )
