"""Names that would pass for somebody else's: what a name looks like, rather than how it is spelt.

After Unicode's UTS #39: names are brought to a skeleton, in which letters that look alike are one,
and skeletons are compared. Unicode's table of them comes with `confusable_homoglyphs`. Pure, but
for that table.
"""

from __future__ import annotations

import json
import re
import string
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
        "site", "owner", "owners", "webmaster", "helpdesk", "security", "gm", "gms", "gamemaster",
        "gamemasters",
        # In other languages, as far as they are not the same once their accents are gone.
        "administrateur", "administratrice", "administrador", "administradora", "amministratore",
        "moderateur", "moderateurs", "moderatrice", "moderador", "moderadora", "moderatore",
        "moderatorin", "organisateur", "organizador", "organizzatore", "organisator",
        "veranstalter", "arbitre", "arbitro", "schiedsrichter", "officiel", "offiziell", "oficial",
        "ufficiale", "beheerder", "scheidsrechter", "yönetici", "ylläpito", "ylläpitäjä", "správce",
        "rozhodčí", "sędzia", "rendszergazda", "játékvezető",
        "админ", "администратор", "модер", "модератор", "организатор", "поддержка", "судья",
        "адмін", "адміністратор", "організатор", "підтримка", "суддя",
        "διαχειριστής", "συντονιστής", "διοργανωτής", "διαιτητής",
        "管理", "管理员", "管理員", "管理者", "版主", "官方", "客服", "运营", "裁判",
        "運営", "公式", "審判", "アドミン", "モデレーター", "システム", "スタッフ",
        "운영자", "운영진", "관리자", "스태프", "심판",
    }
)  # fmt: skip
# Long enough to be meant wherever they stand: no other word has them in it.
ANYWHERE: Final = (
    "administrator", "administrateur", "administrador", "moderator", "moderateur", "moderador",
    "organiser", "organizer", "gauntlet", "siteowner", "администратор", "модератор",
)  # fmt: skip
# Long enough to be meant at the beginning or the end of a word, as in "adminbob": but for those
# that surnames and other words begin or end with (Stafford, supporter, supermodel; Wagstaff,
# Downer).
LONG: Final = 5
NOT_BEFORE: Final = frozenset({"staff", "support", "supermod", "модер"})
NOT_AFTER: Final = frozenset({"staff", "owner", "owners"})
# Words that say of a name beside them no more than that it is the one meant.
CLAIMS: Final = (
    "the", "real", "true", "only", "original", "head", "chief", "lead", "senior", "main", "game",
    "site", "server", "team", "your", "mr", "mrs",
)  # fmt: skip
# Of a shorter word one letter does not tell the others.
SHOWING: Final = 3
# A name that is shorter is a part of many others' too: Max Power is not the moderator "max".
TELLING: Final = 4

# What people write for letters, beyond what looks alike in Unicode's table.
WRITTEN: Final = ("0134578$@|!€", "oleastbsalle")
# Parts of one letter that pass for another, and letters that pass for each other in many faces.
ALIKE: Final = (("rn", "m"), ("vv", "w"), ("i", "l"))
_WRITTEN = str.maketrans(*WRITTEN)
# What looks alike and is not in Unicode's table: small letters of Cyrillic that are its capitals
# made small, and the signs of Canada's languages that makers of fancy letters take.
_DOUBLES: Final = dict(zip("вкмнтᗩᗷᑕᗪᖴᕼᒍᒪᗰᑎᑭᑫᖇᔕᑌᐯᗯ᙭ᘔ", "bkmhtabcdfhjlmnpqrsuvwxz", strict=True))  # noqa: RUF001
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
    return _skeleton(text)


# Stands for whatever might be meant for a letter, and for which one only the others tell.
_ANY: Final = "?"


def _shape(word: str) -> str:
    """The skeleton of a word in which each character that looks like no letter that we know of,
    yet stands for one, is `_ANY`: signs, odd Latin letters, and among Latin letters those of
    scripts that have no capitals."""
    return _skeleton(word, unknown=_ANY)


def _skeleton(text: str, *, unknown: str = "") -> str:
    among_latin = any(_script(character) == "LATIN" for character in text)
    letters = []
    for character in _decomposition(text):
        known = _looks_like(character)
        # Marks, and letters that only say how others are spoken, are nothing unless they look like
        # a letter themselves.
        if known == character.casefold() and (
            unicodedata.category(character)[0] in "MC" or unicodedata.category(character) == "Lm"
        ):
            continue
        if unknown and _may_be_any(character, known, among_latin=among_latin):
            letters.append(unknown)
        else:
            letters += [each for each in unicodedata.normalize("NFKD", known) if each.isalnum()]
    found = "".join(letters)
    for one, other in ALIKE:
        found = found.replace(one, other)
    return found


def _decomposition(text: str) -> str:
    """A text with its letters and their marks apart, but for what looks like a letter as it is."""
    return "".join(
        each if each in _table() else unicodedata.normalize("NFKD", each)
        for each in unicodedata.normalize("NFC", text)
    )


def _looks_like(character: str) -> str:
    if character.isascii():
        return character.lower().translate(_WRITTEN)
    folded = character.casefold()
    known = _DOUBLES.get(character) or _table().get(character) or _table().get(folded)
    return known or _base_letter(character) or folded


def _may_be_any(character: str, known: str, *, among_latin: bool) -> bool:
    if _script(character) == "LATIN" and "TURNED" in unicodedata.name(character):
        return True
    if re.fullmatch("[a-z0-9]+", known):
        return False
    if unicodedata.category(character)[0] in "SP":
        return True
    script = _script(character)
    return script == "LATIN" or (among_latin and script not in {"", *_ALPHABETS})


# What Unicode's names say of letters that its table leaves alone: small capitals, letters with a
# hook, a stroke or a tail, turned and open ones, and those in boxes.
_BASED: Final = re.compile(
    r"(?:.* )?LATIN (?:(?:SMALL|CAPITAL) LETTER|LETTER SMALL CAPITAL) "
    r"(?:(?:OPEN|CLOSED|TURNED|REVERSED|SIDEWAYS|BARRED|BLACKLETTER|SCRIPT|INSULAR|DOTLESS) )*"
    r"([A-Z])(?: WITH .*)?"
)


def _base_letter(character: str) -> str:
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
    words, signed = _words(text), _SIGNED.split(_bare(text))
    together = "".join(signed)
    # Letters with gaps between them are a word.
    spelt = [together] if all(len(word) == 1 for word in words) else []
    for word in {*words, *signed, *spelt}:
        for part in {word, *_parts(word), *re.split(r"\d+", word)}:
            if any(map(_is_official, _without_around(part))):
                return True
    if any(map(_names_a_role, {*skeletons_of(text), _shape(_without_outer_signs(together))})):
        return True
    if any(len(run) >= LONG and run in _roles() for run in map(skeleton, _runs(words))):
        return True
    return any(skeleton(each) in whole for each in ANYWHERE for whole in skeletons_of(text))


def looks_like_name(text: str, name: str) -> bool:
    """Whether a name as a whole can be taken for somebody's ``name``."""
    theirs = skeleton(name)
    if theirs in skeletons_of(text):
        return True
    shape = _shape(_without_outer_signs("".join(_SIGNED.split(_bare(text)))))
    return _fits(shape, theirs)


def speaks_as(text: str, name: str) -> bool:
    """Whether a name says that its bearer is who is called ``name``: with nothing around it but
    numbers and claims ("the real", `CLAIMS`). Somebody else may have the same first name."""
    theirs = skeleton(name)
    if len(theirs) < TELLING:
        return False
    words = [each for each in _SIGNED.split(_bare(text)) if each]
    return any(
        _fits(form, theirs)
        for each in _without_around("".join(filter(_tells, words)))
        for shape in (skeleton(each), _shape(each))
        for form in (shape, _without_claims(shape))
    )


def _tells(word: str) -> bool:
    left = _without_claims(skeleton(word))
    return bool(left) and not word.isdigit()


def _is_official(word: str) -> bool:
    """Whether a word without anything around it names a role, or begins or ends with one."""
    found = {skeleton(word), _shape(word)}
    found |= {_without_claims(each) for each in found}
    # "cl" is a "d" in many faces.
    found |= {each.replace("cl", "d") for each in found}
    return any(_names_a_role(each) or _has_a_role(each) for each in found)


def _names_a_role(shape: str) -> bool:
    if _ANY not in shape:
        return shape in _roles()
    return any(_fits(shape, role) for role in _roles())


def _has_a_role(shape: str) -> bool:
    before, after, anywhere = _affixes()
    if _ANY not in shape:
        return shape.startswith(before) or shape.endswith(after)
    return (
        any(_fits(shape[: len(role)], role) for role in before)
        or any(_fits(shape[-len(role) :], role) for role in after)
        or any(
            _fits(shape[start : start + len(role)], role)
            for role in anywhere
            for start in range(len(shape))
        )
    )


def _fits(shape: str, word: str) -> bool:
    """Whether a shape can be read as the skeleton ``word``, at least half of which it shows: of a
    word of two letters, all."""
    if len(word) < SHOWING:
        return shape == word
    return (
        len(shape) == len(word)
        and shape.count(_ANY) * 2 <= len(word)
        and all(one in (_ANY, other) for one, other in zip(shape, word, strict=True))
    )


@cache
def _roles() -> frozenset[str]:
    return _skeletons(ROLES)


@cache
def _affixes() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The skeletons of what is a role at the beginning, at the end, and anywhere in a word. Scripts
    without capitals have no gaps between words either, and need fewer signs for one."""
    found = {each for each in ROLES if each.upper() == each.lower() or len(skeleton(each)) >= LONG}
    before, after = found - NOT_BEFORE, found - NOT_AFTER
    return tuple(map(skeleton, before)), tuple(map(skeleton, after)), tuple(map(skeleton, ANYWHERE))


@cache
def _claims() -> re.Pattern[str]:
    claims = "|".join(map(skeleton, CLAIMS))
    return re.compile(f"^(?:{claims})+|(?:{claims})+$")


def _without_claims(shape: str) -> str:
    return _claims().sub("", shape)


def mixes_scripts(text: str) -> bool:
    """Whether a word of a name has letters of two alphabets that have letters alike: it looks like
    a word of one of them, and is none. Words of different alphabets may stand side by side."""
    return any(len(_ALPHABETS.intersection(map(_script, word))) > 1 for word in _words(text))


def _script(character: str) -> str:
    """How Unicode's name of a letter begins; empty for what is no letter."""
    if not character.isalpha():
        return ""
    return unicodedata.name(character, "").partition(" ")[0]


# What stands between words; any other sign in a word may be meant for a letter of it.
_SIGNED: Final = re.compile(r"[\s\-_.'’,;:&+/()\[\]]+")  # noqa: RUF001


def _bare(text: str) -> str:
    """A name without the marks on its letters, which would part its words."""
    letters = unicodedata.normalize("NFKD", text)
    bare = "".join(each for each in letters if unicodedata.category(each)[0] != "M")
    return unicodedata.normalize("NFKC", bare)


def _words(text: str) -> list[str]:
    """The words of a name, signs left out."""
    return [each for each in re.split(r"[\W_]+", _bare(text)) if each]


def _runs(words: list[str]) -> list[str]:
    """Words that follow each other, in one."""
    ends = range(1, len(words) + 1)
    return ["".join(words[start:end]) for end in ends for start in range(end)]


def _parts(word: str) -> list[str]:
    """The parts of a word that are told apart by capitals alone: "ModTeam", "MODTeam"."""
    starts = [
        place
        for place in range(1, len(word))
        if word[place].isupper()
        and (not word[place - 1].isupper() or word[place + 1 : place + 2].islower())
    ]
    return [word[start:end] for start, end in zip([0, *starts], [*starts, None], strict=True)]


def _without_outer_signs(word: str) -> str:
    """A word without the signs around it, but for those of money, which are letters with a
    stroke."""
    places = [
        place
        for place, each in enumerate(word)
        if each.isalnum() or unicodedata.category(each) == "Sc"
    ]
    return word[places[0] : places[-1] + 1] if places else ""


def _without_around(word: str) -> set[str]:
    """A word as it stands, and without what may be around it: signs, crosses ("xXModXx"), and
    numbers, on either side or both, since a digit there may be meant for a letter ("4dmin1"). A
    sign before or after a short word is none of its letters ("Mo!")."""
    bare = _without_outer_signs(word)
    found = {bare, word} if len(word) >= LONG else {bare}
    # In other alphabets capitals look like other letters than small ones.
    found |= {each.lower() for each in found}
    found |= {re.sub(r"^[xX]+|[xX]+$", "", each.strip(string.digits)) for each in found}
    # Nobody can tell where a number ends and such letters begin.
    while shorter := {re.sub(one, "", each) for each in found for one in (r"^\d", r"\d$")} - found:
        found |= shorter
    found = {_without_outer_signs(each) if len(each) < LONG else each for each in found} - {""}
    # A number says nothing, whatever letters its digits may be taken for.
    return {each for each in found if not each.isdigit()}


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
