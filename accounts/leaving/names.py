"""A name taken out of what was written down with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from accounts.names.validators import FORMER_NAME


class Names:
    """What somebody was called, and how that reads without it.

    Only whole words count: nobody called Ann is found in Anna. What is called alike is replaced
    alike, so callers hand in only what is about this person.
    """

    def __init__(self, username: str, others: Iterable[str], *, becomes: str) -> None:
        """``username`` becomes ``becomes``, and each of the others "Former player"."""
        self.username = username
        self.becomes = becomes
        self.all = {each for each in others if each and each != FORMER_NAME}
        # The longest first: "Ana Lee" is not Ana.
        found = sorted({*self.all, username}, key=len, reverse=True)
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, found))})(?!\w)")

    def out_of(self, text: str) -> str:
        """A sentence without them."""
        return self._pattern.sub(self._instead, text)

    def out_of_data(self, data: Any) -> Any:
        """JSON without them, in texts at any depth; what it is keyed by stays."""
        if isinstance(data, str):
            return self.out_of(data)
        if isinstance(data, list):
            return [self.out_of_data(each) for each in data]
        if isinstance(data, dict):
            return {key: self.out_of_data(each) for key, each in data.items()}
        return data

    def _instead(self, found: re.Match[str]) -> str:
        # Who has no display name is called by the username in sentences; a username in data stands
        # alone, and leads to a page.
        alone = found.group() == found.string
        return self.becomes if alone and found.group() == self.username else FORMER_NAME
