"""What may happen in a season that the world is told of: the kinds of `SeasonEvent`."""

from __future__ import annotations

from typing import Final

KINDS: Final[dict[str, str]] = {
    "season.listed": "The season was made public",
    "season.started": "The season began",
    "season.finished": "The season has a winner",
    "season.reopened": "A finished season goes on",
    "season.cancelled": "The season was called off",
    "contestant.enrolled": "Somebody enrolled",
    "contestant.withdrawn": "Somebody withdrew",
    "contestant.replaced": "Somebody took over from another",
    "contestant.eliminated": "Somebody is out",
    "contestant.restored": "Somebody is back in, after a correction",
    "round.opened": "A round or episode began",
    "round.closed": "A round or episode is complete",
    "round.reopened": "A complete round was reopened",
    "episode.placed": "The main match has a result and there is an EC",
    "episode.choosing": "The EC chooses anew, after a void death match or as a new one",
    "episode.chosen": "The EC, or an organiser, has named the DMO",
    "episode.skipped": "Nobody leaves in this episode",
    "death-match.paired": "Two contestants will meet",
    "death-match.rules": "It is decided what a death match is played in",
    "death-match.scheduled": "A death match has a time",
    "death-match.reminder": "A death match is about to begin",
    "death-match.no-show": "A player was not there in time",
    "death-match.started": "A death match began",
    "death-match.turn": "A turn was played",
    "death-match.leg": "One match of several was decided",
    "death-match.decided": "A death match was decided",
    "death-match.corrected": "A result was corrected",
    "death-match.void": "A death match or one of its matches was declared void",
    "item.given": "An item was given",
    "item.taken-back": "An item was taken back",
    "item.brought": "Items were brought into a death match",
    "item.spent": "An item was used up",
    "item.returned": "An item came back from a void match",
    "ruling": "An organiser ruled",
}
