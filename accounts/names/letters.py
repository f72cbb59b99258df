"""What single letters and signs look like, and which of them cannot be seen.

Unicode's table of letters that look alike comes with `confusable_homoglyphs`; much of the rest is
read from Unicode's names. Pure, but for that table.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache, partial
from importlib.resources import files
from typing import Final

# What people write for letters, beyond what looks alike in Unicode's table.
WRITTEN: Final = ("0134578$@|!€", "oleastbsalle")
_WRITTEN = str.maketrans(*WRITTEN)
# What looks alike and is not in Unicode's table: small letters of Cyrillic that are its capitals
# made small, or with a stroke; the signs of Canada's languages that makers of fancy letters take;
# and letters of Latin with a stroke whose names name another alphabet's.
_DOUBLES: Final = dict(
    zip(
        "вкмнтᗩᗷᑕᗪᖴᕼᒍᒪᗰᑎᑭᑫᖇᔕᑌᐯᗯ᙭ᘔғӻҝҟұөӿᵼᵿẜꬰ",  # noqa: RUF001
        "bkmhtabcdfhjlmnpqrsuvwxzffkkyoxiusa",
        strict=True,
    )
)
# What signs are taken for whose names name no letter: those of money, which are letters with a
# stroke, and those of mathematics and print. Where it may be one of two letters, both.
_SIGNS: Final = {
    "¢": "c", "£": "le", "¤": "o", "¥": "y", "฿": "b", "₠": "ce", "₡": "c", "₢": "c", "₣": "f",
    "₤": "le", "₥": "m", "₦": "n", "₧": "p", "₩": "w", "₪": "nm", "₫": "d", "€": "e", "₭": "k",
    "₮": "t", "₯": "d", "₰": "p", "₱": "p", "₲": "g", "₳": "a", "₴": "s", "₵": "c", "₷": "s",
    "₸": "t", "₹": "rz", "₺": "tl", "₻": "m", "₼": "m", "₽": "pr", "₾": "cl", "₿": "b", "⃀": "c",
    "∂": "d", "∆": "a", "△": "a", "▲": "a", "∀": "a", "∑": "es", "∃": "e", "∈": "e", "∊": "e",
    "√": "v", "∇": "v", "∧": "a", "⋀": "a", "∫": "sf", "§": "s", "∏": "nm", "∩": "n", "⋂": "n",
    "⊓": "n", "⊔": "u", "⊂": "c", "⊏": "c", "©": "c", "⊃": "d", "⊐": "d", "◗": "d", "®": "r",
    "¶": "pq", "†": "t", "‡": "t", "⊥": "t", "⟘": "t", "¡": "i", "¦": "i", "⍵": "w",
    **dict.fromkeys("°∅⊙⊕⊖⊗⊘◯○●◉◎⭕□☐⌀◐◑", "o"), **dict.fromkeys("✕✖✗✘⊠☒", "x"),
}  # fmt: skip
# Letters of the Arabic script that are one in writing: yeh, kaf, heh and alef.
_ARABIC: Final = dict(zip("ىیېےۍێکڪہھەةۃٱ", "ييييييككههههها", strict=True))
# Alphabets with letters that look like those of others; by how Unicode's names of letters begin.
ALPHABETS: Final = frozenset(
    {"LATIN", "GREEK", "COPTIC", "CYRILLIC", "ARMENIAN", "CHEROKEE", "LISU", "GLAGOLITIC",
     "DESERET", "GOTHIC", "TAI"}
)  # fmt: skip
# Shown as nothing, though they count as letters or marks (Unicode: Default_Ignorable_Code_Point,
# and the blank of Braille).
_INVISIBLE: Final = frozenset(
    {
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    }
)
_EMOJI_STYLE = "\ufe0f"


@cache
def _table() -> dict[str, str]:
    """By character, the Latin letters that it looks like, where it looks like some."""
    text = files("confusable_homoglyphs").joinpath("confusables.json").read_text()
    found = {}
    for character, alike in json.loads(text).items():
        latin = (each["c"].casefold() for each in alike)
        letters = next((each for each in latin if re.fullmatch("[a-z]{1,2}", each)), None)
        if letters is not None and not character.isascii():
            # One letter is not two, though these pass for it.
            found[character] = {"rn": "m", "vv": "w"}.get(letters, letters)
    return found


def script_of(character: str) -> str:
    """How Unicode's name of a letter begins; empty for what is no letter."""
    if not character.isalpha():
        return ""
    return unicodedata.name(character, "").partition(" ")[0]


# Whose marks are left out in writing, or are there for those who learn to read.
_UNPOINTED: Final = frozenset({"ARABIC", "HEBREW", "SYRIAC"})
_VOICING: Final = ("\u3099", "\u309a")


def makes_another(mark: str, base: str) -> bool:
    """Whether a mark makes another letter or syllable of the letter before it: one of the same
    script, as vowel signs are, or the sign of a voiced one. Others only decorate it."""
    if unicodedata.category(mark)[0] != "M":
        return False
    if mark in _VOICING:
        return script_of(base) in {"HIRAGANA", "KATAKANA"}
    script = unicodedata.name(mark, "").partition(" ")[0]
    return script == script_of(base) and script not in _UNPOINTED


def decomposition(text: str) -> str:
    """A text with its letters and their marks apart, but for what looks like a letter as it is."""
    return "".join(
        each if each in _table() else unicodedata.normalize("NFKD", each)
        for each in unicodedata.normalize("NFC", without_joiners(text))
    )


def looks_like(character: str) -> str:
    if character.isascii():
        return character.lower().translate(_WRITTEN)
    character = _ARABIC.get(character, character)
    folded = character.casefold()
    if "\u30a1" <= character <= "\u30f6":
        # The other way to write the same syllable.
        return chr(ord(character) - 0x60)
    known = _DOUBLES.get(folded) or _table().get(character) or _table().get(folded)
    known = known or _SIGNS.get(character, "")[:1] or _FIGURES.get(character)
    return known or _base_letter(character) or _figure(character).translate(_WRITTEN) or folded


# Figures that look like a letter, whatever number they are.
_FIGURES: Final = dict(zip("٥৹৷꠰٧٨", "oollva", strict=True))


def _figure(character: str) -> str:
    """The digit that a figure of another script is, or a number by itself; empty for others."""
    if character.isascii() or unicodedata.category(character)[0] != "N":
        return ""
    number = unicodedata.numeric(character, -1)
    return str(int(number)) if number in range(10) else ""


def is_katakana(character: str) -> bool:
    """Whether a character stands in words of katakana, the sign of long vowels (ー) included."""
    return unicodedata.name(character, "").startswith("KATAKANA")


_FACES: Final = frozenset(
    {"<super>", "<sub>", "<font>", "<circle>", "<wide>", "<narrow>", "<square>"}
)


def face(character: str) -> str:
    """How a letter is set that is not plain: raised, lowered, wide, in a ring, in another fount, as
    a small capital; empty for plain ones."""
    tag, name = unicodedata.decomposition(character).partition(" ")[0], ""
    if tag in {"<font>", ""}:
        name = unicodedata.name(character, "").removeprefix("MATHEMATICAL ")
    if tag == "<font>":
        return re.split(r" ?(?:SMALL|CAPITAL|DIGIT)\b", name)[0]
    if tag in _FACES:
        return tag
    return "<small capital>" if "SMALL CAPITAL" in name else ""


def may_be_any(character: str, known: str, *, among_latin: bool) -> bool:
    if script_of(character) == "LATIN" and "TURNED" in unicodedata.name(character):
        return True
    if character in _SIGNS:
        return True
    if re.fullmatch("[a-z0-9]+", known):
        return False
    if unicodedata.category(character)[0] in "SP":
        return True
    script = script_of(character)
    return script == "LATIN" or (among_latin and script not in {"", *ALPHABETS})


# What Unicode's names say of letters that its table leaves alone: small capitals, letters with a
# hook, a stroke or a tail, turned and open ones, and those in boxes.
_BASED: Final = re.compile(
    r"(?:.* )?(?:LATIN (?:(?:SMALL|CAPITAL) LETTER|LETTER SMALL CAPITAL|SMALL CAPITAL LETTER)"
    r"|MODIFIER LETTER (?:SMALL CAPITAL|SMALL|CAPITAL)) "
    r"(?:(?:OPEN|CLOSED|TURNED|REVERSED|SIDEWAYS|BARRED|BLACKLETTER|SCRIPT|INSULAR|DOTLESS) )*"
    r"([A-Z])(?: (?:WITH|BAR)\b.*)?"
)


def _base_letter(character: str) -> str:
    """The letter of which a character is a variety."""
    named = _BASED.fullmatch(unicodedata.name(character, ""))
    return named[1].lower() if named else ""


# What Unicode's names say of signs that are letters in a box or a ring, or in pairs a flag.
_BOXED: Final = re.compile(
    r"(?:.* LATIN (?:SMALL|CAPITAL) LETTER|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])"
)


def unboxed(character: str) -> str:
    if unicodedata.category(character) != "So":
        return character
    named = _BOXED.fullmatch(unicodedata.name(character, ""))
    return named[1] if named else character


# What Unicode's names say of letters that are upside down, and those that others are.
_TURNED: Final = re.compile(r".*\bTURNED (?:SANS-SERIF )?(?:CAPITAL )?([A-Z])")
_UPRIGHT: Final = dict(
    zip(
        "bdpqnumwɔɟƃɓןɾʃſ∀∩⊥WMPᗡᗺƆↃƎƏəɘԀΛՈ˥⅃ꓯꓭꓛꓷꓱꓞꓨꓩꓘꓶꓒꓤꓕꓵꓥᗰᗯ63",  # noqa: RUF001
        "qpdbunwmcfggljjjautmwddbcceeeepvullabcdefgjklprtuvwmge",
        strict=True,
    )
)


def upright(character: str) -> str:
    """What a letter is when the page is turned round; itself if it is none that we know of."""
    named = _TURNED.fullmatch(unicodedata.name(character, ""))
    if named:
        return named[1].lower()
    # One in another face turns as the plain one does.
    plain = unicodedata.normalize("NFKD", character)
    if plain == character and not character.isascii() and (base := _base_letter(character)):
        plain = base.upper() if "CAPITAL" in unicodedata.name(character) else base
    return _UPRIGHT.get(character) or _UPRIGHT.get(plain, character)


# Letters that are two: the first of them.
_DIGRAPHS: Final = dict(zip("ǄǅǆǇǈǉǊǋǌǱǲǳʣʤʥʦʧʨʩʪʫȸȹ", "dddlllnnnddddddtttflldq", strict=True))
# A sharp s is two, and passes for a b.
_SHARP: Final = "ßẞ"


@cache
def plain_letters(character: str) -> tuple[str, ...]:
    """The plain letters that a character may be meant for, since it is a combining letter, or one
    of two, or one that makers of fancy text take; nothing where it is none of these."""
    if character in _SHARP:
        return ("s", "b")
    if character in _DIGRAPHS:
        return (_DIGRAPHS[character],)
    if unicodedata.category(character)[0] == "M":
        return _standing(character)
    if character in _SIGNS:
        return tuple(_SIGNS[character])
    if dressed := _plain_by_dressed().get(character):
        return dressed
    if figure := _figure(character):
        # By its look, and by its number.
        return (looks_like(character), figure)
    return (looks_like(character),) if _is_sign_of_letter(character) else ()


def _is_sign_of_letter(character: str) -> bool:
    """Whether Unicode's table has a letter for a sign. One of ASCII that may be one (`!`, `|`) is a
    sign at the end of a name."""
    sign = unicodedata.category(character)[0] in "SP" and not character.isascii()
    return sign and bool(re.fullmatch("[a-z]{1,2}", looks_like(character)))


def _standing(mark: str) -> tuple[str, ...]:
    """The letter that stands above or below others as this mark."""
    above = re.fullmatch(
        r"COMBINING (.*?)(?:SMALL )?(LETTER .+?)(?: ABOVE| BELOW)?", unicodedata.name(mark, "")
    )
    if above is None:
        return ()
    for size in ("SMALL ", ""):
        try:
            return (unicodedata.lookup(f"{above[1]}{size}{above[2]}"),)
        except KeyError:
            continue
    return ()


# From a to z, as makers of fancy text write them.
_FANCY: Final = (
    "卂乃匚ᗪ乇千Ꮆ卄丨ﾌҜㄥ爪几ㄖ卩Ɋ尺丂ㄒㄩᐯ山乂ㄚ乙",
    "ﾑ乃ᄃり乇ｷムんﾉﾌズﾚﾶ刀のｱゐ尺丂ｲひ√山ﾒﾘ乙",
    "丹乃匚刀モ下ムん工ﾌ片し爪れ口ア㔿尺ち匕∪∨山メㄚ乙",  # noqa: RUF001
    "闩乃匚刀乇千ム卄工ﾌ片ㄥ爪几囗尸甲尺丂丁凵リ山乂丫乙",
    "ᏗᏰፈᎴᏋᎦᎶᏂᎥᏠᏦᏝᎷᏁᎧᎮᎤᏒᏕᏖᏬᏉᏇጀᎩፚ",
    "ᎪᏼᏟᎠᎬᎨᏀᎻᏆᎫᏦᏞᎷᏁᎾᏢᎤᏒᏚᎢᏌᏙᎳጀᎽᏃ",
    "ค๒ς๔єŦﻮђเןкl๓ภ๏קqгรՇยשฬאץչ",  # noqa: RUF001
    "ꍏꌃꉓꀸꍟꎇꁅꃅꀤꀭꀘ꒒ꂵꈤꂦꉣꆰꋪꌗ꓄ꀎᐯꅏꊼꌩꁴ",
    "ąცƈɖɛʄɠɧıʝƙƖɱŋơ℘զཞʂɬų۷ῳҳყʑ",
    "ልጌርዕቿቻኗዘጎጋጕረጠክዐየዒዪነፕሁሀሠሸሃጊ",
)
# An i and an l are the same stroke in many of them.
_PLAIN: Final = "abcdefghıjkımnopqrstuvwxyz"  # noqa: RUF001


@cache
def _plain_by_dressed() -> dict[str, tuple[str, ...]]:
    """By character, the letters that it is taken for."""
    found: dict[str, tuple[str, ...]] = {}
    pairs = [pair for alphabet in _FANCY for pair in zip(alphabet, _PLAIN, strict=True)]
    # First what stands there, then the same in other widths and in small letters.
    for form in (str, str.lower, partial(unicodedata.normalize, "NFKC")):
        for dressed, plain in pairs:
            character = form(dressed)
            known = found.get(character, ())
            if character.isascii() or len(character) > 1 or plain in {character, *known}:
                continue
            if looks_like(dressed) != plain:
                found[character] = (*known, plain)
    return found


# They shape the letters beside them and are shown as nothing.
_NON_JOINER: Final = "\u200c"
JOINERS: Final = frozenset({_NON_JOINER, "\u200d"})
_VIRAMA: Final = 9
# Scripts whose letters are joined in writing.
_JOINED: Final = frozenset({"ARABIC", "SYRIAC", "MANDAIC", "MONGOLIAN", "NKO"})


def without_joiners(text: str) -> str:
    """A text without the characters that only say how the letters beside them are joined."""
    return text.translate(dict.fromkeys(map(ord, JOINERS)))


# Scripts in which a joiner before a virama shapes what follows, and after which letters: all of
# Sinhala's (those that touch), elsewhere ra, as in Bengali's ra with ya-phalaa.
_BEFORE_VIRAMA: Final = {
    "BENGALI": "রৰ", "ORIYA": "ର", "KANNADA": "ರ", "TELUGU": "ర", "SINHALA": ""
}  # fmt: skip


def _joins_to_virama(before: str, after: str) -> bool:
    shaped, script = before[-1:], script_of(before[-1:] or " ")
    return (
        script in _BEFORE_VIRAMA
        and shaped in (_BEFORE_VIRAMA[script] or shaped)
        and unicodedata.combining(after[:1] or " ") == _VIRAMA
        and script_of(after[1:2] or " ") == script
    )


def may_join(text: str, place: int) -> bool:
    """Whether the joiner or non-joiner at a place of a text is a part of a word there, by the rules
    A1, A2 and B of Unicode's UAX #31, and before a virama where Unicode's chapters 12 and 13 have
    it (ra, joiner, virama, ya). In A1 any letter may stand before a non-joiner, also one that is
    joined to none after it: that is how Persian names of two are spelt, and it hides nothing, since
    names are compared without."""
    before, after = text[:place], text[place + 1 :]
    shaped, beside = _last_letter(before), _last_letter(after[::-1])
    among = bool(shaped) and script_of(shaped) == script_of(beside)
    if text[place] != _NON_JOINER and _joins_to_virama(before, after):
        return True
    if not _ends_with_virama(before):
        return text[place] == _NON_JOINER and among and script_of(shaped) in _JOINED
    if text[place] == _NON_JOINER:
        return among
    return bool(shaped) and "VOWEL SIGN" not in unicodedata.name(after[:1] or " ", "")


def _last_letter(text: str) -> str:
    """The letter that a text ends with, marks on it left out; empty where that is no letter."""
    while text and unicodedata.category(text[-1])[0] == "M":
        text = text[:-1]
    return text[-1:] if text[-1:].isalpha() else ""


def _ends_with_virama(text: str) -> bool:
    while unicodedata.combining(text[-1:] or " ") not in {0, _VIRAMA}:
        text = text[:-1]
    return unicodedata.combining(text[-1:] or " ") == _VIRAMA


def hides_something(text: str) -> bool:
    """Whether a text has characters in it that nobody can see. The one that makes a symbol an emoji
    may stand after a symbol."""
    before = ""
    for character in text:
        styles = character == _EMOJI_STYLE and unicodedata.category(before or "x")[0] == "S"
        if ord(character) in _INVISIBLE and not styles:
            return True
        before = character
    return False
