"""Reasons that organisers and referees can give with one tap, for each act that asks for one. What
they tap stands in the field, where it can be changed; whatever else they write is as good."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

#: How long a reason may be, wherever one is asked for.
WHY_MAX: Final = 500

_CONNECTION: Final = "A player has lost their connection."
_DEVICE: Final = "A player's device has failed."
_BREAK: Final = "A short break that both players agreed to."
_PROGRAM: Final = "Something on the site did not work as it should."
_ABSENT: Final = "They were not there in time."
_RULES: Final = "They broke the rules of the season."
_AGREED: Final = "Both players agreed to it."
_BY_MISTAKE: Final = "It was entered by mistake."
_UNWELL: Final = "They are unwell."
_NO_TIME: Final = "They have no time any more."
_ASKED: Final = "They asked for it."

#: By act. At a match's desk they are called as the notation calls them, without seats and amounts.
READY: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    # -- of a match that is on -------------------------------------------------------------------
    "pause": (_CONNECTION, _BREAK, "The organisers have a question to settle.", _PROGRAM),
    "resume": ("Both players are back.", "The question is settled.", "The break is over."),
    "reserve": (_CONNECTION, _DEVICE, "Time that was lost through no fault of theirs.", _PROGRAM),
    "extend": (_CONNECTION, _DEVICE, "Time that was lost through no fault of theirs.", _PROGRAM),
    "reason": (_CONNECTION, _DEVICE, _BREAK, _PROGRAM),
    "rule valid": ("The rules allow it.", "The evidence shows it."),
    "rule invalid": ("The rules do not allow it.", "The evidence does not show it."),
    "take back": ("A slip of the finger, which the other player lets pass.", _AGREED, _PROGRAM),
    "winner": (_ABSENT, _RULES, "The other player gave up.", _AGREED),
    "void": (_PROGRAM, _CONNECTION, _AGREED, "The wrong terms were set."),
    # -- of a season -----------------------------------------------------------------------------
    "leg void": (_PROGRAM, _CONNECTION, _AGREED, "The wrong terms were set."),
    "walkover": (_ABSENT, _NO_TIME, _UNWELL, "They gave the death match up."),
    "declare": (_RULES, _ABSENT, _AGREED, "It was played elsewhere."),
    "correct": (_BY_MISTAKE, "The wrong winner was entered.", _RULES),
    "correct scores": (_BY_MISTAKE, "A score was entered wrongly.", _RULES),
    "play after all": (_BY_MISTAKE, "They were there after all.", _AGREED),
    "call off": ("The wrong two were paired.", _AGREED, "One of them has left the season."),
    "withdraw": (_NO_TIME, _UNWELL, _ASKED, _RULES),
    "return": (_ASKED, _BY_MISTAKE, "They have time again."),
    "replace": (_NO_TIME, _UNWELL, _ASKED),
    "reopen": ("A result must be corrected.", _BY_MISTAKE),
    "skip": ("Nobody leaves this time.", "Too few could be there.", _PROGRAM),
    "take item back": (_BY_MISTAKE, _RULES, "It went to the wrong contestant."),
    "take entry back": (_BY_MISTAKE, _RULES, "It went to the wrong contestant."),
    "cancel": ("Too few have come.", "The organisers have no time any more.", _PROGRAM),
})  # fmt: skip
