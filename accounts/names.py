"""Names that would pass for somebody else's: what a name looks like, rather than how it is spelt.

After Unicode's UTS #39: names are brought to a skeleton, in which letters that look alike are one,
and skeletons are compared. Unicode's table of them comes with `confusable_homoglyphs`. Pure, but
for that table.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Final

# Who runs things, and the site itself: no word of a name may look like one of these.
ROLES: Final = frozenset(
    {
        "admin", "admins", "administrator", "administrators", "administration", "sysadmin", "mod",
        "mods", "moderator", "moderators", "moderation", "organiser", "organisers", "organizer",
        "organizers", "referee", "referees", "official", "officials", "staff", "support",
        "superuser", "superadmin", "supermod", "modteam", "adminteam", "staffteam", "gauntlet",
        "site", "owner", "owners", "webmaster", "helpdesk", "security",
        # In other languages, as far as they are not the same once their accents are gone.
        "administrateur", "administratrice", "administrador", "administradora", "amministratore",
        "moderateur", "moderateurs", "moderatrice", "moderador", "moderadora", "moderatore",
        "moderatorin", "organisateur", "organizador", "organizzatore", "organisator",
        "veranstalter", "arbitre", "arbitro", "schiedsrichter", "officiel", "offiziell", "oficial",
        "ufficiale", "админ", "администратор", "модер", "модератор", "организатор", "поддержка",
        "судья", "διαχειριστής", "συντονιστής", "διοργανωτής", "διαιτητής",
        "管理员", "管理員", "管理者", "版主", "アドミン", "モデレーター", "운영자", "관리자",
    }
)  # fmt: skip
# Long enough to be meant wherever they stand: no other word has them in it.
ANYWHERE: Final = (
    "administrator", "administrateur", "administrador", "moderator", "moderateur", "moderador",
    "organiser", "organizer", "gauntlet", "siteowner", "администратор", "модератор",
)  # fmt: skip

# What people write for letters, beyond what looks alike in Unicode's table.
WRITTEN: Final = ("0134578$@|!€", "oleastbsalle")
# Parts of one letter that pass for another, and letters that pass for each other in many faces.
ALIKE: Final = (("rn", "m"), ("vv", "w"), ("i", "l"))
_WRITTEN = str.maketrans(*WRITTEN)
# Alphabets with letters that look like those of others; by how Unicode's names of letters begin.
_ALPHABETS: Final = frozenset(
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
            found[character] = letters
    return found


def skeleton(text: str) -> str:
    """What ``text`` looks like, with case, marks and everything but letters and digits left out.
    Two texts with one skeleton can be taken for each other."""
    letters = []
    for character in unicodedata.normalize("NFKD", text):
        if character.isascii():
            letters.append(character.lower().translate(_WRITTEN))
        elif unicodedata.category(character)[0] not in "MC":
            folded = character.casefold()
            known = _table().get(character) or _table().get(folded) or _based_on(character)
            known = known or folded
            letters.append(unicodedata.normalize("NFKD", known))
    found = "".join(each for each in "".join(letters) if each.isalnum())
    for one, other in ALIKE:
        found = found.replace(one, other)
    return found


# What Unicode's names say of letters that its table leaves alone: small capitals, letters with a
# hook, a stroke or a tail, turned and open ones, and those in boxes.
_BASED: Final = re.compile(
    r"(?:.* )?LATIN (?:(?:SMALL|CAPITAL) LETTER|LETTER SMALL CAPITAL) "
    r"(?:(?:OPEN|CLOSED|TURNED|REVERSED|SIDEWAYS|BARRED|BLACKLETTER|SCRIPT|INSULAR|DOTLESS) )*"
    r"([A-Z])(?: WITH .*)?"
)


def _based_on(character: str) -> str:
    """The letter of which a character is a variety."""
    named = _BASED.fullmatch(unicodedata.name(character, ""))
    return named[1].lower() if named else ""


@cache
def _skeletons(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(skeleton, words))


def skeletons_of(name: str) -> frozenset[str]:
    """The skeletons of a name: as it stands, in small letters (in other alphabets capitals look
    like other letters than small ones), and without the signs around it, some of which may be meant
    for letters ("$taff", "Staff!"). Empty where there is nothing to compare."""
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", name)
    forms = (name, bare, name.lower(), bare.lower())
    return frozenset(map(skeleton, forms)) - {""}


def looks_like_one_of(text: str, words: frozenset[str]) -> bool:
    """Whether a name as a whole can be taken for one of ``words``. A digit at its end is one: the
    fifth of many bots is none of the "bots"."""
    if re.search(r"\d[\W_]*$", text):
        return False
    return not skeletons_of(text).isdisjoint(_skeletons(words))


def looks_official(text: str) -> bool:
    """Whether a name says that its bearer runs the site or a part of it: as a whole, or by a word
    in it, numbers around it left out."""
    for word in (text, *_words(text), *_parts(text)):
        bare = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", unicodedata.normalize("NFKC", word))
        if looks_like_one_of(word, ROLES) or looks_like_one_of(bare, ROLES):
            return True
    return any(skeleton(each) in whole for each in ANYWHERE for whole in skeletons_of(text))


def mixes_scripts(text: str) -> bool:
    """Whether a word of a name has letters of two alphabets that have letters alike: it looks like
    a word of one of them, and is none. Words of different alphabets may stand side by side."""
    return any(len(_ALPHABETS.intersection(map(_script, word))) > 1 for word in _words(text))


def _script(character: str) -> str:
    """How Unicode's name of a letter begins; empty for what is no letter."""
    if not character.isalpha():
        return ""
    return unicodedata.name(character, "").partition(" ")[0]


def _words(text: str) -> list[str]:
    """The words of a name without the marks on their letters, which would part them."""
    letters = unicodedata.normalize("NFKD", text)
    bare = "".join(each for each in letters if unicodedata.category(each)[0] != "M")
    return re.split(r"[\W_]+", unicodedata.normalize("NFKC", bare))


def _parts(text: str) -> list[str]:
    """The words of a name that are told apart by capitals alone, without crosses around them:
    "ModTeam", "xXModXx"."""
    words = (re.sub(r"^[xX]+(?=[A-Z])|[xX]+$", "", word) for word in _words(text))
    return [part for word in words for part in re.split(r"(?<=[^\W\d_A-Z])(?=[A-Z])", word)]


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
