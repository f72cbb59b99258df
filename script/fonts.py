"""Make the small copy of the type that nearly every page can do with: `python -m script.fonts`.

A page in English needs a hundred letters of the two hundred that the package's file has. The rest
stays there, and browsers fetch it for a name that needs it (`unicode-range` in
`static/css/fonts.css`). Marcellus is used as it is: its licence keeps its name for the whole.
"""

import shutil
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "static/vendor/@fontsource-variable/figtree@5.3.0"
WHOLE = PACKAGE / "files/figtree-latin-wght-normal.woff2"
FOLDER = ROOT / "static/fonts"
BASIC = FOLDER / "figtree-basic.woff2"
# What can be typed on every keyboard, and what our own sentences have besides.
LETTERS = [
    *range(0x20, 0x7F), 0xA0, 0xB0, 0xB1, 0xB2, 0xB7, 0xD7, 0x2013, 0x2014, 0x2018, 0x2019, 0x201C,
    0x201D, 0x2022, 0x2026, 0x2212,
]  # fmt: skip
# Accents composed, pairs of letters, a bolder "$", and figures of equal width.
FEATURES = ["ccmp", "kern", "locl", "mark", "mkmk", "rvrn", "tnum"]


def letters_of(path: Path) -> set[int]:
    """The characters that a file has."""
    with TTFont(path) as font:
        return set(font.getBestCmap())


def main(folder: Path = FOLDER) -> None:
    """Write the copy, and the licence beside it."""
    options = subset.Options(flavor="woff2", layout_features=FEATURES)
    with TTFont(WHOLE, recalcTimestamp=False) as font:
        cutter = subset.Subsetter(options)
        cutter.populate(unicodes=LETTERS)
        cutter.subset(font)
        folder.mkdir(exist_ok=True)
        subset.save_font(font, folder / BASIC.name, options)
    shutil.copy(PACKAGE / "LICENSE", folder / "LICENSE-figtree")


if __name__ == "__main__":
    main()
