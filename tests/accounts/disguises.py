"""Names in disguise, and whether they are taken all the same."""
# ruff: noqa: RUF001  (that is what this is about)

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from accounts.models import AuditEntry, User
from accounts.services import user_update_profile
from core.refusals import Refusal
from tests.support import depth

CYRILLIC = dict(zip("aceopxyis", "асеорхуіѕ", strict=True))
GREEK = dict(zip("aopvniu", "αορνηιυ", strict=True))
DIGITS = dict(zip("oleastb", "0134578", strict=True))
SMALL_CAPITALS = dict(zip("adegiklmnoprtu", "ᴀᴅᴇɢɪᴋʟᴍɴᴏᴘʀᴛᴜ", strict=True))


def written(table: dict[str, str], text: str) -> str:
    return "".join(table.get(letter, letter) for letter in text)


def once(table: dict[str, str], text: str) -> str:
    """With the first letter that there is a double of written as that."""
    for place, letter in enumerate(text):
        if letter in table:
            return text[:place] + table[letter] + text[place + 1 :]
    return text


def moved(base: str, text: str) -> str:
    """The letters as those of another alphabet of Unicode's that begins with ``base``."""
    return "".join(chr(ord(base) + ord(c) - 97) if "a" <= c <= "z" else c for c in text)


DISGUISES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "capital": str.capitalize,
    "capitals": str.upper,
    "spaced": " ".join,
    "dotted": ".".join,
    "underscores": "_".join,
    "signs": lambda text: f"*{text}!",
    "accent": lambda text: text[0] + "\u0301" + text[1:],
    "last accent": lambda text: text + "\u0301",
    "odd accent": lambda text: text[0] + "\u0359" + text[1:],
    "accents": lambda text: "".join(letter + "\u0308" for letter in text),
    "Cyrillic letter": lambda text: once(CYRILLIC, text),
    "Cyrillic letters": lambda text: written(CYRILLIC, text),
    "Greek letter": lambda text: once(GREEK, text),
    "Greek letters": lambda text: written(GREEK, text),
    "Greek capital": lambda text: once({"a": "Α", "b": "Β", "e": "Ε", "m": "Μ", "o": "Ο"}, text),
    "small capitals": lambda text: written(SMALL_CAPITALS, text),
    # A digit at the end is a number, but where roles are meant: the fifth of many bots is none of
    # the bots.
    "digits": lambda text: written(DIGITS, text[:-1]) + text[-1],
    "m in two": lambda text: text.replace("m", "rn"),
    "w in two": lambda text: text.replace("w", "vv"),
    "I for l": lambda text: text.replace("l", "I"),
    # Among small letters, an i with its dot is none.
    "l for I": lambda text: re.sub(r"^i", "l", text),
    "full width": lambda text: moved("ａ", text),
    "bold": lambda text: moved("𝐚", text),
    "script": lambda text: moved("𝓪", text),
}


def disguised(words: list[str]) -> list[str]:
    """Each word in each disguise that fits into a name; see above."""
    ways = list(DISGUISES.values())
    pairs = {
        *itertools.product(depth.some(words, 12), ways),
        *depth.covering(words, ways),
        *((word, str) for word in words),
    }
    return sorted({made for word, put_on in pairs if len(made := put_on(word)) <= 30})


CODES = {"impersonates", "characters", "mixed-scripts"}


def accepted(user: User, given: list[str]) -> list[str]:
    """Those of many display names that are not refused as somebody else's."""
    passed, refused, entries = [], [], AuditEntry.objects.count()
    for each in given:
        try:
            user_update_profile(acting_user=user, user=user, display_name=each)
        except Refusal as refusal:
            refused.append((each, refusal))
        else:
            passed.append(each)
    for each, why in refused:
        assert why.sentence.endswith("."), each
        assert why.field == "display_name", each
        assert why.code.removeprefix("display-name.") in CODES, (each, why.code)
    assert AuditEntry.objects.count() == entries + len(passed)
    return passed
