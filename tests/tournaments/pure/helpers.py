"""Small words for tests of pairing and standings."""

import random
from collections.abc import Callable, Iterable, Sequence

from tournaments.formats.field import Pairing, Player, Result, ResultBasis

Decide = Callable[[int, int], int]


def field(size: int) -> list[Player]:
    """Players 1 … size, whose ids are their seeds."""
    return [Player(number, number) for number in range(1, size + 1)]


def won(number: int, winner: int, loser: int, score: str = "0:0", match: int = 0) -> Result:
    """A played match; the winner had seat 0."""
    mine, theirs = map(int, score.split(":"))
    return Result(number, winner, loser, winner, mine, theirs, match=match)


def bye(number: int, player: int) -> Result:
    """A bye that is worth a point."""
    return Result(number, player, None, player, how=ResultBasis.BYE)


def walkover(number: int, winner: int, loser: int, match: int = 0) -> Result:
    """The loser did not come."""
    return Result(number, winner, loser, winner, how=ResultBasis.WALKOVER, match=match)


def void(number: int, home: int, away: int) -> Result:
    """Finished without a winner."""
    return Result(number, home, away, how=ResultBasis.VOID)


def played(pairings: Iterable[Pairing], decide: Decide) -> list[Result]:
    """Results of all pairings; byes are worth a point."""
    made = []
    for pairing in pairings:
        if pairing.away is None:
            made.append(bye(pairing.round, pairing.home))
        else:
            winner = decide(pairing.home, pairing.away)
            made.append(Result(pairing.round, pairing.home, pairing.away, winner))
    return made


def by_lot(source: random.Random) -> Decide:
    """Either side, at random."""
    return lambda home, away: source.choice((home, away))


def codes(made: Sequence[object]) -> list[str]:
    """The codes of cautions."""
    return [caution.code for caution in made]  # type: ignore[attr-defined]
