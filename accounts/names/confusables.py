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
from collections.abc import Callable
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
        "gamemasters", "umpire", "umpires", "ref", "refs",
        # In other languages, as far as they are not the same once their accents are gone.
        "administrateur", "administratrice", "administrador", "administradora", "amministratore",
        "moderateur", "moderateurs", "moderatrice", "moderador", "moderadora", "moderatore",
        "moderatorin", "organisateur", "organizador", "organizzatore", "organisator",
        "veranstalter", "arbitre", "arbitro", "schiedsrichter", "officiel", "offiziell", "oficial",
        "ufficiale", "beheerder", "scheidsrechter", "yönetici", "ylläpito", "ylläpitäjä", "správce",
        "rozhodčí", "sędzia", "rendszergazda", "játékvezető",
        "админ", "администратор", "администрация", "мод", "модер", "модератор", "модерация",
        "организатор", "поддержка", "судья", "арбитр", "рефери",
        "адмін", "адміністратор", "адміністрація", "модерація", "організатор", "підтримка", "суддя",
        "арбітр", "судија", "съдия",
        "διαχειριστής", "συντονιστής", "διοργανωτής", "διαιτητής",
        "管理", "管理员", "管理員", "管理者", "版主", "官方", "客服", "运营", "裁判",
        "管理组", "管理組", "管理人", "管理部", "運営", "運営者", "公式", "審判", "主催者",
        "アドミン", "アドミニストレーター", "モデレーター", "システム", "スタッフ",
        "レフェリー", "운영자", "운영진", "운영팀", "관리자", "관리팀", "스태프", "심판", "심판관",
        "심판장", "심판진", "어드민", "모더레이터", "주최자",
        "אדמין", "מודרטור", "מנהל", "מנהלת", "שופט", "שופטת", "מארגן", "צוות",
        "مشرف", "المشرف", "مشرفة", "المشرفون", "ادمن", "أدمن", "الإدارة", "منظم", "مدير",
        "मॉडरेटर", "एडमिन", "प्रशासक", "व्यवस्थापक", "आयोजक", "निर्णायक",
        "แอดมิน", "ผู้ดูแล", "ผู้ดูแลระบบ", "กรรมการ", "ผู้จัด", "ทีมงาน",
        "ადმინი", "ადმინისტრატორი", "მოდერატორი", "ორგანიზატორი", "მსაჯი",
        "ադմին", "ադմինիստրատոր", "մոդերատոր", "մրցավար",
    }
)  # fmt: skip
# Long enough to be meant wherever they stand: no other word has them in it.
ANYWHERE: Final = (
    "administrator", "administrateur", "administrador", "moderator", "moderateur", "moderador",
    "organiser", "organizer", "gauntlet", "siteowner", "администратор", "модератор",
)  # fmt: skip
# Who runs things where it is said of what, or that they come first; without that, surnames too.
TITLES: Final = frozenset(
    {"arbiter", "director", "host", "judge", "manager", "marshal", "official", "ref", "steward"}
)
OF: Final = frozenset(
    {"assistant", "chief", "deputy", "event", "game", "games", "head", "lead", "league", "main",
     "match", "season", "senior", "site", "tournament"}
)  # fmt: skip
# Surnames that have a role in them.
SURNAMES: Final = ("gauntlett", "oficialdegui")
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
# So many signs are a whole name where surnames have one, and given names two.
NAMED: Final = 3
# Of a shorter word one letter does not tell the others.
SHOWING: Final = 3
# A name that is shorter is a part of many others' too: Max Power is not the moderator "max".
TELLING: Final = 4

# What people write for letters, beyond what looks alike in Unicode's table.
WRITTEN: Final = ("0134578$@|!€", "oleastbsalle")
# Parts of one letter that pass for another, and letters that pass for each other in many faces.
ALIKE: Final = (("rn", "m"), ("vv", "w"), ("i", "l"))
_WRITTEN = str.maketrans(*WRITTEN)
# In a skeleton, the stroke that is a small l, a capital i, or a one. A small i has its dot.
_EITHER: Final = "I"
_STROKES: Final = "1|!I"
# A letter that is such a stroke, whatever stands around it.
_STROKE: Final = "ı"  # noqa: RUF001
# What looks alike and is not in Unicode's table: small letters of Cyrillic that are its capitals
# made small, and the signs of Canada's languages that makers of fancy letters take.
_DOUBLES: Final = dict(zip("вкмнтᗩᗷᑕᗪᖴᕼᒍᒪᗰᑎᑭᑫᖇᔕᑌᐯᗯ᙭ᘔ", "bkmhtabcdfhjlmnpqrsuvwxz", strict=True))  # noqa: RUF001
# Alphabets with letters that look like those of others; by how Unicode's names of letters begin.
_ALPHABETS: Final = frozenset(
    {"LATIN", "GREEK", "COPTIC", "CYRILLIC", "ARMENIAN", "CHEROKEE", "LISU", "GLAGOLITIC",
     "DESERET", "GOTHIC", "TAI"}
)  # fmt: skip
# Scripts that have no gaps between words.
_GAPLESS: Final = frozenset({"CJK", "HANGUL", "HIRAGANA", "KATAKANA", "KHMER", "LAO", "THAI"})
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
    """What ``text`` looks like, with case, decoration and everything but letters and digits left
    out, and i and l as one. Two texts with different ones cannot be taken for each other."""
    return _coarse(_skeleton(text))


def _coarse(fine: str) -> str:
    return fine.replace(_EITHER, "l").replace("i", "l")


# Stands for whatever might be meant for a letter, and for which one only the others tell.
_ANY: Final = "?"


def _shape(word: str) -> str:
    """The skeleton of a word in which each character that looks like no letter that we know of,
    yet stands for one, is `_ANY`: signs, odd Latin letters, and among Latin letters those of
    scripts that have no capitals."""
    return _coarse(_skeleton(word, unknown=_ANY))


def _skeleton(text: str, *, unknown: str = "") -> str:
    """The skeleton, with i, l and what may be either (`_EITHER`) told apart."""
    among_latin = any(_script(character) == "LATIN" for character in text)
    letters = []
    base = ""
    for character in _decomposition(text):
        known, category = _looks_like(character), unicodedata.category(character)
        # Decoration, and letters that only say how others are spoken, are nothing unless they look
        # like a letter themselves.
        if known == character.casefold() and (category[0] in "MC" or category == "Lm"):
            if _makes_another(character, base):
                letters.append(character)
            continue
        base = character
        if unknown and _may_be_any(character, known, among_latin=among_latin):
            letters.append(unknown)
        elif character in _STROKES or not character.isascii():
            letters += [_EITHER if each in "il" else each for each in _letters_of(known)]
        else:
            letters += _letters_of(known)
    found = "".join(letters)
    # The last two are told apart here, and made one by `_coarse`.
    for one, other in ALIKE[:-1]:
        found = found.replace(one, other)
    return found


def _letters_of(known: str) -> list[str]:
    return [each for each in unicodedata.normalize("NFKD", known) if each.isalnum()]


# Whose marks are left out in writing, or are there for those who learn to read.
_UNPOINTED: Final = frozenset({"ARABIC", "HEBREW", "SYRIAC"})
_VOICING: Final = ("\u3099", "\u309a")


def _makes_another(mark: str, base: str) -> bool:
    """Whether a mark makes another letter or syllable of the letter before it: one of the same
    script, as vowel signs are, or the sign of a voiced one. Others only decorate it."""
    if unicodedata.category(mark)[0] != "M":
        return False
    if mark in _VOICING:
        return _script(base) in {"HIRAGANA", "KATAKANA"}
    script = unicodedata.name(mark, "").partition(" ")[0]
    return script == _script(base) and script not in _UNPOINTED


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
    if "\u30a1" <= character <= "\u30f6":
        # The other way to write the same syllable.
        return chr(ord(character) - 0x60)
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
    return frozenset(skeleton(form) for each in words for form in (each, _bare(each)))


def skeletons_of(name: str) -> frozenset[str]:
    """The skeletons of a name in each of its readings: as it stands, in small letters (in other
    alphabets capitals look like other letters than small ones), and without the signs around it,
    some of which may be meant for letters ("$taff", "Staff!"). Empty where there is nothing to
    compare."""
    return frozenset(map(_coarse, _fine_skeletons(name)))


def _fine_skeletons(name: str) -> set[str]:
    found = set()
    for reading in map(_with_strokes, _readings(name)):
        bare = _without_ends(reading, _is_of_words)
        found |= {_skeleton(each) for each in (reading, bare, reading.lower(), bare.lower())}
    return found - {""}


def _is_of_words(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _without_ends(text: str, keep: Callable[[str], bool]) -> str:
    """A text from the first to the last of the characters that are to be kept."""
    places = [place for place, each in enumerate(text) if keep(each)]
    return text[places[0] : places[-1] + 1] if places else ""


# What Unicode's names say of signs that are letters in a box or a ring, or in pairs a flag.
_BOXED: Final = re.compile(
    r"(?:.* LATIN (?:SMALL|CAPITAL) LETTER|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])"
)
_FLAG: Final = re.compile(
    "(?<![\U0001f1e6-\U0001f1ff])[\U0001f1e6-\U0001f1ff]{2}(?![\U0001f1e6-\U0001f1ff])"
)
# What Unicode's names say of letters that are upside down, and those that others are.
_TURNED: Final = re.compile(r".*\bTURNED (?:SANS-SERIF )?(?:CAPITAL )?([A-Z])")
_UPRIGHT: Final = dict(
    zip("bdpqnumwɔɟƃɓןɾʃſ∀∩⊥", "qpdbunwmcfggljjjaut", strict=True)  # noqa: RUF001
)


def _upright(character: str) -> str:
    """What a letter is when the page is turned round; itself if it is none that we know of."""
    named = _TURNED.fullmatch(unicodedata.name(character, ""))
    return named[1].lower() if named else _UPRIGHT.get(character, character)


def _readings(text: str) -> list[str]:
    """How a name may be read: with signs that are letters as these; the words by themselves that
    are written with such signs; and, where letters are upside down, from there."""
    text = unicodedata.normalize("NFC", text)
    found = [_legible(text)]
    found += [read for word in text.split() if (read := _legible(word)) != _FLAG.sub("", word)]
    upright = [_upright(each) for each in text]
    if any(one != other and not other.isascii() for one, other in zip(upright, text, strict=True)):
        found.append("".join(reversed(upright)))
    return found


def _legible(text: str) -> str:
    """A text in which signs that are letters are these. Two letters of regions by themselves are a
    flag, which says nothing; more of them are read, since many devices show them as letters."""
    return "".join(map(_boxed_letter, _FLAG.sub("", text)))


def _boxed_letter(character: str) -> str:
    if unicodedata.category(character) != "So":
        return character
    named = _BOXED.fullmatch(unicodedata.name(character, ""))
    return named[1] if named else character


def looks_like_one_of(text: str, words: frozenset[str]) -> bool:
    """Whether a name as a whole can be taken for one of ``words``. A digit at its end is one: the
    fifth of many bots is none of the "bots"."""
    if re.search(r"\d[\W_]*$", text):
        return False
    return not skeletons_of(text).isdisjoint(_skeletons(words))


def looks_official(text: str) -> bool:
    """Whether a name says that its bearer runs the site or a part of it: as a whole, or by a word
    in it, numbers around it left out."""
    return any(map(_reads_official, _readings(_SURNAMES.sub(" ", text))))


_SURNAMES: Final = re.compile(rf"\b(?:{'|'.join(SURNAMES)})\b", re.IGNORECASE)


def _reads_official(text: str) -> bool:
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
    runs = set(map(skeleton, _runs(words)))
    if any(len(run) >= LONG and run in _roles() for run in runs) or runs & _titles():
        return True
    return any(skeleton(each) in whole for each in ANYWHERE for whole in skeletons_of(text))


def looks_like_name(text: str, name: str) -> bool:
    """Whether a name as a whole can be taken for somebody's ``name``."""
    theirs = _skeleton(_with_strokes(name))
    if any(_is_alike(each, theirs) for each in _fine_skeletons(text)):
        return True
    return any(
        _fits(_skeleton(_without_outer_signs(_together(each)), unknown=_ANY), theirs)
        for each in map(_with_strokes, _readings(text))
    )


def can_be_taken_for(text: str, username: str) -> bool:
    """Whether a name as a whole looks like a username, letter by letter."""
    theirs = _skeleton(_with_strokes(username))
    return any(_is_alike(each, theirs) for each in _fine_skeletons(text))


def speaks_as(text: str, name: str) -> bool:
    """Whether a name says that its bearer is who is called ``name``: with nothing around it but
    numbers and claims ("the real", `CLAIMS`). Somebody else may have the same first name."""
    theirs = _skeleton(_with_strokes(name))
    if len(theirs) < TELLING:
        return False
    return any(
        _fits(form, theirs)
        for reading in map(_with_strokes, _readings(text))
        for each in _without_around(
            "".join(filter(_tells, _SIGNED.split(_without_decoration(reading))))
        )
        for shape in (_skeleton(each), _skeleton(each, unknown=_ANY))
        for form in (shape, _without_claims(shape))
    )


def _together(text: str) -> str:
    return "".join(_SIGNED.split(_without_decoration(text)))


def _with_strokes(text: str) -> str:
    """A name in which letters that are but a stroke (`_STROKE`) are told from an i with its dot and
    an l among small letters: a capital i among these, and an l where a capital would stand."""
    return re.sub(r"[^\W\d_]+", lambda found: _word_with_strokes(found[0]), text)


def _word_with_strokes(word: str) -> str:
    others = [each for each in word if each not in "Iil"]
    capitals = bool(others) and all(map(str.isupper, others)) and "i" not in word
    made = word.replace("I", "i" if capitals and "l" not in word and len(word) > 1 else _STROKE)
    if capitals:
        return made.replace("l", _STROKE)
    return re.sub("^l", _STROKE, made)


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
    # Three signs are a surname and a name: a role of two, and one more, is none.
    if len(unicodedata.normalize("NFC", shape)) == NAMED and not shape.isascii():
        return False
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
        return _is_alike(shape, word)
    return (
        len(shape) == len(word)
        and shape.count(_ANY) * 2 <= len(word)
        and all(
            one == _ANY or _is_alike(one, other) for one, other in zip(shape, word, strict=True)
        )
    )


def _is_alike(one: str, other: str) -> bool:
    """Whether two skeletons have the same letters, where a stroke may be either of two."""
    return one == other or (
        len(one) == len(other)
        and all(
            a == b or {a, b} in ({_EITHER, "i"}, {_EITHER, "l"})
            for a, b in zip(one, other, strict=True)
        )
    )


@cache
def _roles() -> frozenset[str]:
    return _skeletons(ROLES)


@cache
def _affixes() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The skeletons of what is a role at the beginning, at the end, and anywhere in a word. Scripts
    without gaps between words need fewer signs for one."""
    found = {each for each in ROLES if _script(each[0]) in _GAPLESS or len(skeleton(each)) >= LONG}
    before, after = found - NOT_BEFORE, found - NOT_AFTER
    return (
        tuple(_skeletons(frozenset(before))),
        tuple(_skeletons(frozenset(after))),
        tuple(map(skeleton, ANYWHERE)),
    )


@cache
def _titles() -> frozenset[str]:
    return frozenset(skeleton(of + title) for of in OF for title in TITLES)


@cache
def _claims() -> re.Pattern[str]:
    claims = re.sub("[il]", f"[il{_EITHER}]", "|".join(map(_skeleton, CLAIMS)))
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


def _without_decoration(text: str) -> str:
    """A name without the marks that only decorate its letters."""
    letters: list[str] = []
    base = ""
    for each in unicodedata.normalize("NFKD", text):
        if unicodedata.category(each)[0] != "M":
            base = each
        elif not _makes_another(each, base):
            continue
        letters.append(each)
    return unicodedata.normalize("NFKC", "".join(letters))


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
    return _without_ends(
        word, lambda each: _is_of_words(each) or unicodedata.category(each) == "Sc"
    )


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
