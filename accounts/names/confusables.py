"""Names that would pass for somebody else's: what a name looks like, rather than how it is spelt.

After Unicode's UTS #39: names are brought to a skeleton, in which letters that look alike are one,
and skeletons are compared. What single letters look like stands in `accounts.names.letters`, which
words are the site's own in `accounts.names.words`. Pure.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Final

from accounts.names import letters, words

# Parts of one letter that pass for another, and letters that pass for each other in many faces.
ALIKE: Final = (("rn", "m"), ("vv", "w"), ("i", "l"))
# In a skeleton, the stroke that is a small l, a capital i, or a one. A small i has its dot.
_EITHER: Final = "I"
_STROKES: Final = "1|!I"
# A letter that is such a stroke, whatever stands around it.
_STROKE: Final = "ı"  # noqa: RUF001
# Scripts that have no gaps between words.
_GAPLESS: Final = frozenset({"CJK", "HANGUL", "HIRAGANA", "KATAKANA", "KHMER", "LAO", "THAI"})


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


def _skeleton(text: str, *, unknown: str = "", joined: bool = True) -> str:
    """The skeleton, with i, l and what may be either (`_EITHER`) told apart; unless ``joined``,
    with each letter by itself, so that two never make one."""
    among_latin = any(letters.script_of(character) == "LATIN" for character in text)
    found = []
    base = ""
    for character in letters.decomposition(text):
        known, category = letters.looks_like(character), unicodedata.category(character)
        # Decoration, and letters that only say how others are spoken, are nothing unless they look
        # like a letter themselves.
        if known == character.casefold() and (category[0] in "MC" or category == "Lm"):
            if letters.makes_another(character, base):
                found.append(character)
            continue
        base = character
        if unknown and letters.may_be_any(character, known, among_latin=among_latin):
            found.append(unknown)
        elif character in _STROKES or not character.isascii():
            found += [_EITHER if each in "il" else each for each in _letters_of(known)]
        else:
            found += _letters_of(known)
    shape = "".join(found)
    # The last two are told apart here, and made one by `_coarse`.
    for one, other in ALIKE[:-1] if joined else ():
        shape = shape.replace(one, other)
    return shape


def _letters_of(known: str) -> list[str]:
    return [each for each in unicodedata.normalize("NFKD", known) if each.isalnum()]


@cache
def _skeletons(given: frozenset[str]) -> frozenset[str]:
    return frozenset(skeleton(form) for each in given for form in (each, _bare(each)))


def skeletons_of(name: str) -> frozenset[str]:
    """The skeletons of a name in each of its readings: as it stands, in small letters (in other
    alphabets capitals look like other letters than small ones), and without the signs around it,
    some of which may be meant for letters ("$taff", "Staff!"). Empty where there is nothing to
    compare."""
    return frozenset(map(_coarse, _fine_skeletons(name)))


def _fine_skeletons(name: str, *, joined: bool = True) -> set[str]:
    found: set[str] = set()
    for reading in map(_with_strokes, _readings(name)):
        bare = _without_ends(reading, _is_of_words)
        forms = (reading, bare, reading.lower(), bare.lower())
        found |= {_skeleton(each, joined=joined) for each in forms}
    return found - {""}


def _is_of_words(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _without_ends(text: str, keep: Callable[[str], bool]) -> str:
    """A text from the first to the last of the characters that are to be kept."""
    places = [place for place, each in enumerate(text) if keep(each)]
    return text[places[0] : places[-1] + 1] if places else ""


_FLAG: Final = re.compile(
    "(?<![\U0001f1e6-\U0001f1ff])[\U0001f1e6-\U0001f1ff]{2}(?![\U0001f1e6-\U0001f1ff])"
)


def _readings(text: str) -> list[str]:
    """How a name may be read: with signs that are letters as these; the words by themselves that
    are written with such signs; with plain letters for those dressed up; and, where letters are
    upside down, from there."""
    text = unicodedata.normalize("NFC", letters.without_joiners(text))
    found = [_legible(text)]
    found += [read for word in text.split() if (read := _legible(word)) != _FLAG.sub("", word)]
    found += {plain for which in (0, -1) if (plain := _plain_text(text, which)) != text}
    upright = [letters.upright(each) for each in text]
    if any(one != other and not other.isascii() for one, other in zip(upright, text, strict=True)):
        found.append("".join(reversed(upright)))
    return found


def _plain_text(text: str, which: int) -> str:
    """A text with plain letters for those that are dressed up, where a word has no others than
    these and Latin ones; ``which`` of them, where there are several."""
    return re.sub(r"[^\s\-_.]+", lambda found: _plain_word(found[0], which), text)


def _plain_word(word: str, which: int) -> str:
    plain = [(letters.plain_letters(each) or each)[which] for each in word]
    return "".join(plain) if all(map(_is_among_latin, plain)) else word


def _is_among_latin(character: str) -> bool:
    """Whether a character may stand in a word of Latin letters: one of them, or of another script
    that looks like one; a mark that any letter may have; a digit or a sign."""
    category = unicodedata.category(character)[0]
    if category == "M":
        return unicodedata.name(character, "").startswith("COMBINING ")
    return (
        category != "L"
        or letters.script_of(character) == "LATIN"
        or letters.looks_like(character).isascii()
    )


def _legible(text: str) -> str:
    """A text in which signs that are letters are these. Two letters of regions by themselves are a
    flag, which says nothing; more of them are read, since many devices show them as letters."""
    return "".join(map(letters.unboxed, _FLAG.sub("", text)))


def looks_like_one_of(text: str, given: frozenset[str]) -> bool:
    """Whether a name as a whole can be taken for one of ``given``. A digit at its end is one: the
    fifth of many bots is none of the "bots". Short words that are no roles are ordinary ones, and
    names are near them (Horne, Seif, Dr. No): of these, each letter has to look like its own."""
    if re.search(r"\d[\W_]*$", text):
        return False
    short = {each for each in given - words.ROLES if len(each) < words.LONG}
    if not skeletons_of(text).isdisjoint(_skeletons(given - short)):
        return True
    letterwise = _fine_skeletons(text, joined=False)
    return any(_is_alike(one, other) for one in letterwise for other in short)


def looks_official(text: str) -> bool:
    """Whether a name says that its bearer runs the site or a part of it: as a whole, or by a word
    in it, numbers around it left out."""
    text = _SURNAMES.sub(" ", text)
    return any(_reads_official(each) for form in _parted(text) for each in _readings(form))


def _parted(text: str) -> set[str]:
    """A text as it stands, and with gaps where words are told apart without: by a joiner, and by
    how letters are set ("Joeᵐᵒᵈ")."""
    faces = list(map(letters.face, text))
    # Letters in rings count as signs.
    stands = [bool(face) or each.isalnum() for face, each in zip(faces, text, strict=True)]
    edges = [
        place
        for place in range(1, len(text))
        if faces[place] != faces[place - 1] and stands[place - 1] and stands[place]
    ]
    found = {text, text.translate(dict.fromkeys(map(ord, letters.JOINERS), " "))}
    # Not each letter is to be had in each face: at the first and the last edge alone, too.
    for some in (edges, edges[:1], edges[-1:]):
        found.add(" ".join(text[a:b] for a, b in pairwise([0, *some, len(text)])))
    return found


_SURNAMES: Final = re.compile(rf"\b(?:{'|'.join(words.SURNAMES)})\b", re.IGNORECASE)


def _reads_official(text: str) -> bool:
    plain, signed = _words(text), _SIGNED.split(_bare(text))
    together = "".join(signed)
    # Letters with gaps between them are a word.
    spelt = [together] if all(len(word) == 1 for word in plain) else []
    for word in {*plain, *signed, *spelt}:
        for part in {word, *_parts(word), *re.split(r"\d+", word)}:
            if any(map(_is_official, _without_around(part))):
                return True
    if any(map(_names_a_role, {*skeletons_of(text), _shape(_without_outer_signs(together))})):
        return True
    runs = set(map(skeleton, _runs(plain)))
    if any(len(run) >= words.LONG and run in _roles() for run in runs) or runs & _titles():
        return True
    return any(skeleton(each) in whole for each in words.ANYWHERE for whole in skeletons_of(text))


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
    numbers and claims ("the real", `words.CLAIMS`). Somebody else may have the same first name."""
    theirs = _skeleton(_with_strokes(name))
    if len(theirs) < words.TELLING:
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
    return any(_names_roles(each) or _has_a_role(each, word) for each in found)


def _names_roles(shape: str) -> bool:
    """Whether a word is a role, or nothing but roles ("modstaff")."""
    return _names_a_role(shape) or any(
        _names_a_role(shape[:place]) and _names_roles(shape[place:])
        for place in range(2, len(shape) - 1)
    )


def _names_a_role(shape: str) -> bool:
    if _ANY not in shape:
        return shape in _roles()
    return any(_fits(shape, role) for role in _roles())


def _has_a_role(shape: str, word: str) -> bool:
    before, after, anywhere = _affixes()
    if any(map(letters.is_katakana, word)):
        # One word as far as katakana go: スタッフォード is Stafford.
        kana = _kana_roles()
        before = tuple(each for each in before if each not in kana)
        after = tuple(each for each in after if each not in kana)
        parts = (
            part
            for place in range(1, len(word))
            if not all(map(letters.is_katakana, word[place - 1 : place + 1]))
            for part in (word[:place], word[place:])
        )
        if any(skeleton(part) in kana for part in parts):
            return True
    # Three signs are a surname and a name: a role of two, and one more, is none.
    if len(unicodedata.normalize("NFC", shape)) == words.NAMED and not shape.isascii():
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
    if len(word) < words.SHOWING:
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
    return _skeletons(words.ROLES)


@cache
def _affixes() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The skeletons of what is a role at the beginning, at the end, and anywhere in a word. Scripts
    without gaps between words need fewer signs for one."""
    found = {
        each
        for each in words.ROLES
        if letters.script_of(each[0]) in _GAPLESS or len(skeleton(each)) >= words.LONG
    }
    before, after = found - words.NOT_BEFORE, found - words.NOT_AFTER
    return (
        tuple(_skeletons(frozenset(before))),
        tuple(_skeletons(frozenset(after))),
        tuple(map(skeleton, words.ANYWHERE)),
    )


@cache
def _kana_roles() -> frozenset[str]:
    return _skeletons(frozenset(each for each in words.ROLES if letters.is_katakana(each[0])))


@cache
def _titles() -> frozenset[str]:
    return frozenset(skeleton(of + title) for of in words.OF for title in words.TITLES)


@cache
def _claims() -> re.Pattern[str]:
    claims = re.sub("[il]", f"[il{_EITHER}]", "|".join(map(_skeleton, words.CLAIMS)))
    return re.compile(f"^(?:{claims})+|(?:{claims})+$")


def _without_claims(shape: str) -> str:
    return _claims().sub("", shape)


def mixes_scripts(text: str) -> bool:
    """Whether a word of a name has letters of two alphabets that have letters alike: it looks like
    a word of one of them, and is none. Words of different alphabets may stand side by side."""
    return any(
        len(letters.ALPHABETS.intersection(map(letters.script_of, word))) > 1
        for word in _words(text)
    )


# What stands between words; any other sign in a word may be meant for a letter of it.
_SIGNED: Final = re.compile(r"[\s\-_.'’,;:&+/()\[\]]+")  # noqa: RUF001


def _without_decoration(text: str) -> str:
    """A name without the marks that only decorate its letters."""
    kept: list[str] = []
    base = ""
    for each in unicodedata.normalize("NFKD", letters.without_joiners(text)):
        if unicodedata.category(each)[0] != "M":
            base = each
        elif not letters.makes_another(each, base):
            continue
        kept.append(each)
    return unicodedata.normalize("NFKC", "".join(kept))


def _bare(text: str) -> str:
    """A name without the marks on its letters, which would part its words."""
    apart = unicodedata.normalize("NFKD", letters.without_joiners(text))
    bare = "".join(each for each in apart if unicodedata.category(each)[0] != "M")
    return unicodedata.normalize("NFKC", bare)


def _words(text: str) -> list[str]:
    """The words of a name, signs left out."""
    return [each for each in re.split(r"[\W_]+", _bare(text)) if each]


def _runs(plain: list[str]) -> list[str]:
    """Words that follow each other, in one."""
    ends = range(1, len(plain) + 1)
    return ["".join(plain[start:end]) for end in ends for start in range(end)]


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
    found = {bare, word} if len(word) >= words.LONG else {bare}
    # In other alphabets capitals look like other letters than small ones.
    found |= {each.lower() for each in found}
    found |= {re.sub(r"^[xX]+|[xX]+$", "", each.strip(string.digits)) for each in found}
    # Nobody can tell where a number ends and such letters begin.
    while shorter := {re.sub(one, "", each) for each in found for one in (r"^\d", r"\d$")} - found:
        found |= shorter
    found = {_without_outer_signs(each) if len(each) < words.LONG else each for each in found} - {
        ""
    }
    # A number says nothing, whatever letters its digits may be taken for.
    return {each for each in found if not each.isdigit()}
