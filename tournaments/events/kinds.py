"""What may happen in a season that the world is told of: the kinds of `SeasonEvent`, each with what
its data holds."""

from __future__ import annotations

from typing import Final, NamedTuple

from tournaments.events import payloads


class Kind(NamedTuple):
    """What happens, for people, and the type of what is told of it (see `payloads`)."""

    words: str
    payload: type[payloads.Payload]


KINDS: Final[dict[str, Kind]] = {
    "season.listed": Kind("The season was made public", payloads.Payload),
    "season.started": Kind("The season began", payloads.Started),
    "season.finished": Kind("The season has a winner", payloads.Won),
    "season.reopened": Kind("A finished season goes on", payloads.Payload),
    "season.cancelled": Kind("The season was called off", payloads.Reasoned),
    "contestant.enrolled": Kind("Somebody enrolled", payloads.Enrolled),
    "contestant.withdrawn": Kind("Somebody withdrew", payloads.Moved),
    "contestant.replaced": Kind("Somebody took over from another", payloads.Replaced),
    "contestant.eliminated": Kind("Somebody is out", payloads.Eliminated),
    "contestant.restored": Kind("Somebody is back in, after a correction", payloads.Moved),
    "round.opened": Kind("A round or episode began", payloads.RoundOpened),
    "round.closed": Kind("A round or episode is complete", payloads.RoundClosed),
    "round.reopened": Kind("A complete round was reopened", payloads.RoundReopened),
    "episode.placed": Kind("The main match has a result and there is an EC", payloads.Placed),
    "episode.choosing": Kind(
        "The EC chooses anew, after a void death match or as a new one", payloads.Choosing
    ),
    "episode.chosen": Kind("The EC, or an organiser, has named the DMO", payloads.Chosen),
    "episode.corrected": Kind("The scores of a main match were corrected", payloads.Reasoned),
    "episode.skipped": Kind("Nobody leaves in this episode", payloads.Reasoned),
    "death-match.paired": Kind("Two contestants will meet", payloads.Paired),
    "death-match.rules": Kind("It is decided what a death match is played in", payloads.RulesSet),
    "death-match.scheduled": Kind("A death match has a time", payloads.Scheduled),
    "death-match.reminder": Kind("A death match is about to begin", payloads.Reminded),
    "death-match.no-show": Kind("A player was not there in time", payloads.NoShow),
    "death-match.started": Kind("A death match began", payloads.LegStarted),
    "death-match.turn": Kind("A turn was played", payloads.Payload),
    "death-match.leg": Kind("One match of several was decided", payloads.LegDecided),
    "death-match.decided": Kind("A death match was decided", payloads.Decided),
    "death-match.corrected": Kind("A result was corrected", payloads.Corrected),
    "death-match.void": Kind(
        "A death match or one of its matches was declared void", payloads.Voided
    ),
    "item.given": Kind("An item was given", payloads.Given),
    "item.taken-back": Kind("An item was taken back", payloads.TakenBack),
    "item.brought": Kind("A Copy or Block was brought into a death match", payloads.Brought),
    "item.spent": Kind("An item was used up", payloads.OfItems),
    "item.returned": Kind("An item came back from a void match", payloads.OfItems),
    "ledger.won": Kind("Contestants won something of what is traded", payloads.WonOfLedger),
    "ledger.given": Kind("A contestant gave another something of it", payloads.MovedInLedger),
    "ledger.token": Kind("Somebody used an immunity token", payloads.TokenUsed),
    "ledger.stakes": Kind("Something was wagered, or passed to the winner", payloads.MovedInLedger),
    "ledger.corrected": Kind("An entry of the ledger was taken back", payloads.CorrectedInLedger),
    "organiser.joined": Kind("Somebody runs the season too, or helps", payloads.OfCrew),
    "organiser.changed": Kind("Somebody who does has another part in it", payloads.OfCrew),
    "organiser.left": Kind("Somebody does so no longer", payloads.OfCrew),
    "ruling": Kind("An organiser ruled", payloads.Ruled),
}
