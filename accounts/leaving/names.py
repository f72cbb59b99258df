"""A name taken out of what was written down with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from accounts.names.validators import FORMER_NAME

#: Where names stand in sentences: a name that is a word or a number is one nowhere else.
_NAME_IS_NEXT: Final = (
    r"(?:(?m:^)|"
    + "|".join(
        rf"(?<={before})"
        for before in (
            r"\*\*", r"\\\. ", ": ", "“", "vs ", "meets ", "meet ", "beats ", "chooses ",
            "name ", "gives ", "from ", "to ", "against ", "and ", "by ",
        )
    )
    + ")"
)  # fmt: skip
_IN_A_LIST: Final = (r"(?<=, )", r"(?=,| and | \d|\.|\n|$)")
_NAME_WAS_BEFORE: Final = r"(?= vs |'s )"


class Names:
    """What somebody was called, and how that reads without it.

    Only whole words count: nobody called Ann is found in Anna. What is called alike is replaced
    alike, so callers hand in only what is about this person.
    """

    def __init__(
        self,
        username: str,
        others: Iterable[str],
        *,
        becomes: str,
        kept: Iterable[str] = (),
        common: Collection[str] = (),
    ) -> None:
        """Each of them reads "Former player"; where a page is led to, ``username`` is ``becomes``.

        ``kept``: phrases that stay, whatever name is in them. ``common``: words, in lower case,
        that stand in sentences besides: one who is called by such a word, or by a number, is named
        only where names stand.
        """
        self.username = username
        self.becomes = becomes
        self.all = {each for each in others if each and each != FORMER_NAME}
        own = {*self.all, username}
        self._kept = {each for each in kept if each not in own and any(one in each for one in own)}
        # The longest first: "Ana Lee" is not Ana.
        found = sorted(own | self._kept, key=len, reverse=True)
        self._pattern = re.compile("|".join(_spelt(each, each in own, common) for each in found))

    def within(self, *, kept: Iterable[str] = (), common: Collection[str] = ()) -> Names:
        """The same, in sentences of some place; see `__init__`."""
        return Names(self.username, self.all, becomes=self.becomes, kept=kept, common=common)

    def are(self, text: object) -> bool:
        """Whether a text is one of them, and nothing besides."""
        return isinstance(text, str) and (text in self.all or text == self.username)

    def out_of(self, text: str) -> str:
        """A sentence without them."""
        return self._pattern.sub(
            lambda found: found[0] if found[0] in self._kept else FORMER_NAME, text
        )


def _spelt(name: str, is_own: bool, common: Collection[str]) -> str:
    whole = rf"(?<!\w){re.escape(name)}(?!\w)"
    if not is_own or not (name.casefold() in common or _is_number(name)):
        return whole
    # A score or a time is none: "Ada wins match 1: 1:0."
    listed = whole.join(_IN_A_LIST)
    return rf"(?:{_NAME_IS_NEXT}{whole}(?!:\d)|{listed}|{whole}{_NAME_WAS_BEFORE})"


def _is_number(name: str) -> bool:
    return all(each.isdigit() for each in name.split())


def texts_changed(data: Any, of_keys: Collection[str], changed: Callable[[str], str]) -> Any:
    """JSON in which the texts under these keys, at any depth, are ``changed``; all else stays."""
    if isinstance(data, list):
        return [texts_changed(each, of_keys, changed) for each in data]
    if not isinstance(data, dict):
        return data
    return {
        key: changed(each)
        if key in of_keys and isinstance(each, str)
        else texts_changed(each, of_keys, changed)
        for key, each in data.items()
    }
