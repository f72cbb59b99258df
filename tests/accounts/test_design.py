"""The design system keeps its word: contrast, no literals, no inline code, nothing missing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from accounts.templatetags.site import icon_names
from games.engine import palette
from games.engine.ruleset import Ruleset
from games.pictures.boards import figures_of
from games.rulesets import REGISTRY
from script import fonts
from script.lib.console import ROOT

CSS = ROOT / "static" / "css"
# A rule's selector and what it says of its animation; its length; how often it goes on.
ANIMATION = re.compile(r"([^{}]+)\{[^{}]*?\banimation:([^;}]*)")
LENGTH = re.compile(r"(\d+(?:\.\d+)?)(m?s)\b")
TIMES = re.compile(r"(?<= )\d+(?=$|[ ;])")
TOKENS = (CSS / "tokens.css").read_text()
TEMPLATES = sorted(
    [*(ROOT / "templates").rglob("*.html"), *ROOT.glob("games/rulesets/*/rules.html")]
)

# Text on its ground: 4.5 to 1 (WCAG 2.2, 1.4.3 AA).
GROUNDS = ("--bg", "--surface", "--raised", "--sunken")
TEXT_PAIRS = [
    *((text, ground) for text in ("--text", "--muted", "--link") for ground in GROUNDS),
    *(
        (text, ground)
        for text in ("--danger", "--success", "--warning", "--info", "--seat-0", "--seat-1")
        for ground in ("--bg", "--surface", "--raised")
    ),
    ("--danger", "--danger-soft"),
    ("--success", "--success-soft"),
    ("--warning", "--warning-soft"),
    ("--warning", "--accent-soft"),
    ("--info", "--info-soft"),
    *(
        ("--text", f"--{kind}-soft")
        for kind in ("danger", "success", "warning", "info", "accent", "seat-0", "seat-1")
    ),
    ("--muted", "--accent-soft"),
    ("--on-accent", "--accent"),
    ("--on-accent", "--accent-hover"),
    ("--on-accent", "--brass"),
    ("--on-solid", "--danger-solid"),
    ("--seat-0", "--seat-0-soft"),
    ("--seat-1", "--seat-1-soft"),
    ("--on-seat-0", "--seat-0"),
    ("--on-seat-1", "--seat-1"),
    ("--frame-text", "--frame"),
    ("--frame-muted", "--frame"),
    ("--brass", "--frame"),
    ("--piece-black-text", "--piece-black"),
    ("--piece-white-text", "--piece-white"),
    ("--text", "--board-cell"),
    ("--text", "--board-legal"),
]
# What one must be able to make out: edges of controls, focus, pieces: 3 to 1 (1.4.11).
SHAPE_PAIRS = [
    *(("--line-strong", ground) for ground in GROUNDS),
    *(("--focus", ground) for ground in GROUNDS),
    ("--focus", "--accent-soft"),
    ("--seat-0", "--board-cell"),
    ("--seat-1", "--board-cell"),
    ("--seat-0", "--board"),
    ("--seat-1", "--board"),
]


def tokens(theme: int) -> dict[str, str]:
    """Return every colour token as #rrggbb; theme 0 is light, 1 is dark."""
    found: dict[str, str] = {}
    pair = r"light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)"
    for name, value in re.findall(r"(--[\w-]+): ([^;]+);", TOKENS):
        if match := re.fullmatch(pair, value):
            found[name] = match[theme + 1]
        elif re.fullmatch(r"#[0-9a-f]{6}", value):
            found[name] = value
        elif (match := re.fullmatch(r"var\((--[\w-]+)\)", value)) and match[1] in found:
            found[name] = found[match[1]]
    return found


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb as WCAG 2 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_measure_itself() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("front", "back", "least"),
    [(*pair, 4.5) for pair in TEXT_PAIRS] + [(*pair, 3.0) for pair in SHAPE_PAIRS],
)
def test_contrast(theme: int, front: str, back: str, least: float) -> None:
    colours = tokens(theme)
    ratio = contrast(colours[front], colours[back])
    assert ratio >= least, f"{front} {colours[front]} on {back} {colours[back]}: {ratio:.2f}"


def mixed(front: str, back: str, share: float) -> str:
    """Return ``share`` of one colour over another, as a browser mixes them in sRGB."""
    pairs = [(int(front[i : i + 2], 16), int(back[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in pairs)


def test_pictures_have_the_colours_of_the_site() -> None:
    light, dark = tokens(0), tokens(1)
    for number, seat in enumerate(("--seat-0", "--seat-1")):
        assert palette.FILL[number] == light[seat]
        assert palette.GROUND[number] == light[f"{seat}-soft"]
        assert light[f"--on-{seat[2:]}"] == palette.MARK
        assert palette.LINE[number] == mixed(light[seat], light["--text"], 0.6)
        assert palette.ON_DARK[number] == dark[seat]


def test_seats_on_pictures_can_be_made_out_without_their_colour() -> None:
    """Pieces on their grounds and on paper as shapes, outlines as words, and patterns by
    lightness alone."""
    for number, fill in enumerate(palette.FILL):
        for ground in (*palette.GROUND, "#f7f3ea", "#fffdf7", "#e9e2d3"):
            assert contrast(fill, ground) >= 3
            assert contrast(palette.LINE[number], ground) >= 4.5
        assert contrast(fill, mixed(palette.MARK, fill, palette.MARK_OPACITY)) >= 2
    assert "patternTransform" in palette.patterns("a", 8).split("</pattern>")[0], "stripes"
    assert "h0" in palette.patterns("a", 8).split("</pattern>")[1], "dots"


@pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda ruleset: ruleset.id)
def test_every_ruleset_draws_its_seats_from_the_one_palette(ruleset: Ruleset[Any, Any]) -> None:
    drawn = "".join(svg for svg, _ in figures_of(ruleset).values())
    for colour in palette.FILL:
        assert f'fill="{colour}"' in drawn
    package = ROOT / Path(*type(ruleset).__module__.split(".")[:-1])
    own = {
        colour
        for module in package.glob("*.py")
        for colour in re.findall(r"#[0-9a-f]{6}\b", module.read_text())
    }
    assert own.isdisjoint({*palette.FILL, *palette.GROUND, *palette.LINE})


@pytest.mark.parametrize("name", ["base.css", "components.css"])
def test_every_property_used_is_defined(name: str) -> None:
    source = (CSS / name).read_text()
    defined = set(re.findall(r"(--[\w-]+):", TOKENS + source))
    used = set(re.findall(r"var\((--[\w-]+)", source))
    assert used <= defined


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_templates_hold_no_inline_code_and_no_unknown_icon(path: object) -> None:
    source = path.read_text()  # type: ignore[attr-defined]
    assert not re.search(r"\sstyle=", source)
    assert not re.search(r"\son[a-z]+=", source)
    assert not re.search(r"<style|<script(?![^>]*\ssrc=)", source)
    assert not re.search(r"{% (load [^%]*i18n|translate|trans|blocktrans\w*) ", source)
    assert set(re.findall(r'{% icon "([^"]+)"', source)) <= icon_names()


SETTINGS = [path for path in TEMPLATES if path.parts[-2] in {"accounts", "account", "mfa"}]


@pytest.mark.parametrize("path", SETTINGS, ids=lambda path: "/".join(path.parts[-2:]))
def test_no_button_of_the_settings_is_to_be_scrolled_to_sideways(path: Path) -> None:
    """A table that scrolls on a phone would have it out of sight; lists of cards wrap."""
    text = path.read_text()
    for part in text.split("table-wrap")[1:]:
        assert "<button" not in part.split("</table>")[0]


def test_nothing_moves_for_more_than_five_seconds() -> None:
    """But what says that something is being sent (WCAG 2.2, 2.2.2 A). A dot that never rests also
    keeps a core of the reader's machine busy, a twelfth of it each."""
    found = 0
    for sheet in (*CSS.rglob("*.css"), *ROOT.glob("games/rulesets/*/static/*.css")):
        for selector, value in ANIMATION.findall(sheet.read_text()):
            if value.strip() == "none" or "sending" in selector:
                continue
            found += 1
            assert "infinite" not in value, (sheet.name, selector.strip())
            lengths = [
                float(n) / (1000 if unit == "ms" else 1) for n, unit in LENGTH.findall(value)
            ]
            times = [int(n) for n in TIMES.findall(value)]
            assert max(lengths, default=0) * max(times, default=1) <= 5, selector.strip()
    assert found > 3


def test_the_small_copy_of_the_type_is_made_from_the_package(tmp_path: Path) -> None:
    fonts.main(tmp_path)
    kept = {path.name: path.read_bytes() for path in fonts.FOLDER.iterdir()}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == kept
    assert len(kept[fonts.BASIC.name]) < 0.6 * fonts.WHOLE.stat().st_size


def test_each_letter_of_the_type_is_fetched_where_it_is() -> None:
    """No style sheet has a file fetched for a letter that it lacks; what the small copy has is
    taken from nowhere else, and no letter of the package's is lost."""
    faces = re.findall(
        r'font-family: "Figtree";\s*font-weight[^}]*url\("([^"]+)"\)[^}]*unicode-range: ([^;]+);',
        (CSS / "fonts.css").read_text(),
    )
    ranges = {(CSS / at.replace("%40", "@")).resolve(): letters(said) for at, said in faces}
    basic, whole = ranges[fonts.BASIC], ranges[fonts.WHOLE]
    assert len(ranges) == 3
    assert basic == fonts.letters_of(fonts.BASIC)
    assert whole < fonts.letters_of(fonts.WHOLE)
    assert basic & whole == set()
    had = {*range(0x20, 0x100), 0x131, 0x152, 0x153, 0x2C6, 0x2DA, 0x2DC, *range(0x2000, 0x2070),
           0x20AC, 0x2122, 0x2212}  # fmt: skip
    assert basic | whole == fonts.letters_of(fonts.WHOLE) & had


def letters(said: str) -> set[int]:
    """What a `unicode-range` names."""
    found: set[int] = set()
    for each in said.replace("U+", "").split(","):
        first, _, last = each.strip().partition("-")
        found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def test_vendored_type_comes_whole_with_its_licence() -> None:
    for package in ("@fontsource/marcellus@5.3.0", "@fontsource-variable/figtree@5.3.0"):
        folder = ROOT / "static" / "vendor" / package
        assert "SIL Open Font License" in (folder / "LICENSE").read_text()
        version = package.rsplit("@", 1)[1]
        assert f'"version": "{version}"' in (folder / "package.json").read_text()
    for address in re.findall(r'url\("([^"]+)"\)', (CSS / "fonts.css").read_text()):
        assert (CSS / address.replace("%40", "@")).is_file()


HASHES = ROOT / "static/vendor/@noble/hashes@2.4.0"


def test_vendored_hashes_come_whole_with_their_licence() -> None:
    assert "The MIT License" in (HASHES / "LICENSE").read_text()
    described = json.loads((HASHES / "package.json").read_text())
    assert (described["name"], described["version"]) == ("@noble/hashes", "2.4.0")
    files = [HASHES / name for name in described["exports"].values()]
    assert len(files) > 10
    assert [file.name for file in files if not file.is_file()] == []
    assert [file.name for file in files if not file.with_suffix(".d.ts").is_file()] == []


def test_whatever_is_vendored_is_named_with_its_reason() -> None:
    told = (ROOT / "docs/dependencies.md").read_text()
    packages = sorted((ROOT / "static/vendor").glob("@*/*@*"))
    assert len(packages) == 3
    for package in packages:
        name, version = package.name.split("@")
        assert f"| `{package.parent.name}/{name}` {version} |" in told
