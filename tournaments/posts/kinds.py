"""What can be posted of a season, and which of its events lead to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ROUNDS: Final = "rounds"
THREADS: Final = "threads"
MATCHES: Final = "matches"
CLOCKS: Final = "clocks"
RESULTS: Final = "results"
PEOPLE: Final = "people"
ITEMS: Final = "items"
CHOICES: Final = "choices"
RULINGS: Final = "rulings"
NEWS: Final = "news"

#: What organisers choose from.
KINDS: Final[Mapping[str, str]] = {
    THREADS: "A thread for each death match",
    MATCHES: "The board of each match, as it goes",
    CLOCKS: "Reminders: a match begins soon, a player's time is running out",
    RESULTS: "Who has won",
    ROUNDS: "One post a round: who meets whom, the results, the standings",
    CHOICES: "Who the EC is, and whom they choose",
    PEOPLE: "Who is out, back in, or replaced",
    ITEMS: "Gifts, items, and what is won and paid",
    RULINGS: "Rulings, corrections, and what is void",
    NEWS: "The season begins, ends, or is called off",
}


def kinds_offered(*, episodes: bool) -> dict[str, str]:
    """What organisers of a season choose from; ``episodes``: whether its format has an EC."""
    return {kind: words for kind, words in KINDS.items() if episodes or kind != CHOICES}


#: Events that are told in a message of their own, and as which kind.
TOLD: Final[Mapping[str, str]] = {
    "season.listed": NEWS,
    "season.started": NEWS,
    "season.finished": NEWS,
    "season.reopened": NEWS,
    "season.cancelled": NEWS,
    "contestant.withdrawn": PEOPLE,
    "contestant.replaced": PEOPLE,
    "contestant.eliminated": PEOPLE,
    "contestant.restored": PEOPLE,
    "round.reopened": RULINGS,
    "episode.placed": CHOICES,
    "episode.choosing": CHOICES,
    "episode.chosen": CHOICES,
    "episode.skipped": CHOICES,
    "episode.corrected": RULINGS,
    "death-match.reminder": CLOCKS,
    "death-match.no-show": RULINGS,
    "death-match.leg": RESULTS,
    "death-match.decided": RESULTS,
    "death-match.corrected": RULINGS,
    "death-match.void": RULINGS,
    "item.given": ITEMS,
    "item.taken-back": ITEMS,
    "item.brought": ITEMS,
    "item.spent": ITEMS,
    "item.returned": ITEMS,
    "ledger.won": ITEMS,
    "ledger.given": ITEMS,
    "ledger.token": ITEMS,
    "ledger.stakes": ITEMS,
    "ledger.corrected": ITEMS,
    "ruling": RULINGS,
}

#: Of a death match, and for the whole season all the same: they stand in the channel.
FOR_EVERYBODY: Final = frozenset({
    "contestant.withdrawn", "contestant.replaced", "contestant.eliminated", "contestant.restored",
    "item.given", "item.taken-back",
})  # fmt: skip

#: Events that are not worth telling once their match was to begin.
SOON_STALE: Final = frozenset({"death-match.reminder"})

#: Events after which the post of their round reads differently.
CHANGES_ROUND: Final = frozenset({
    "round.opened", "round.closed", "round.reopened", "death-match.paired", "death-match.rules",
    "death-match.scheduled", "death-match.started", "death-match.leg", "death-match.decided",
    "death-match.corrected", "death-match.void", "contestant.replaced",
})  # fmt: skip

#: Events after which the head of a death match's thread reads differently. The first such makes it.
CHANGES_THREAD: Final = frozenset({
    "death-match.paired", "death-match.rules", "death-match.scheduled", "death-match.started",
    "death-match.leg", "death-match.decided", "death-match.corrected", "death-match.void",
})  # fmt: skip

#: Events after which the message of a match reads differently. The first such makes it.
CHANGES_MATCH: Final = frozenset({
    "death-match.started", "death-match.leg", "death-match.decided", "death-match.corrected",
    "death-match.void",
})  # fmt: skip

#: Events after which somebody has another role.
CHANGES_ROLES: Final = frozenset({
    "season.started", "season.finished", "season.reopened", "season.cancelled",
    "contestant.enrolled", "contestant.withdrawn", "contestant.replaced",
    "contestant.eliminated", "contestant.restored",
})  # fmt: skip
