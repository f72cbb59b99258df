"""How bots play.

Nearly every number on the board can be told from the letters announced, so a match is one of
looking ahead. Random continuations are blind here: a placement out of the hundreds that are legal
scores 0.65 points, the best one two or three. So this search plays on greedily instead, each side
scoring what it can, for a few placements, and judges the position then (`estimate`). It is dropped
into by its breadth alone, and answers with a single move.

Placements are looked at in three rounds: all of them by what they score, those that score nearly
the most by what the opponent can answer as well, and the best of those by playing on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from games.engine.capabilities import Skill
from games.engine.chance import RandomSource, below, choose, shuffled
from games.engine.decisions import Audience, Decision, Seat
from games.rulesets.domino_black_white import chances, guessing
from games.rulesets.domino_black_white.board import SPOTS, Spot
from games.rulesets.domino_black_white.estimate import estimate
from games.rulesets.domino_black_white.lines import LINES
from games.rulesets.domino_black_white.moves import (
    HALVES,
    ChooseOrder,
    Half,
    Move,
    PlaceDomino,
    colour,
    place,
)
from games.rulesets.domino_black_white.state import BlackWhiteState, played
from games.rulesets.domino_black_white.view import view

SKILLS: Final[Mapping[str, Skill]] = {
    "novice": Skill(width=3, tries=12, depth=1),
    "club": Skill(width=10, tries=120, depth=2),
    "strong": Skill(width=40, tries=4000, depth=4),
}
GUESSES: Final = 24  # drawn for a move, at most one for so many tries:
TRIES_A_GUESS: Final = 12
RANKED_IN: Final = 3  # guesses in which placements are compared by the opponent's best answer
NOTICED: Final = 45  # of all placements, at most so many for one that is followed
SLACK: Final = 1.5  # points below the most that a placement may score, to be looked at

SEATS: Final[tuple[Audience, Audience]] = (0, 1)

Laid = tuple[int, int]
"""A spot, by its index, and the pair of numbers to lay there."""


def suggest(
    state: BlackWhiteState, decision: Decision, random: RandomSource, most: int
) -> Sequence[Move]:
    """The one answer that a seat finds which follows up to ``most`` placements.

    Of ``state`` only what the seat can see is used.
    """
    if state.first is None:
        return (ChooseOrder(first=False),)  # whoever places last wins a tie
    seat = decision.seat
    skill = _skill(most)
    seen = view(state, SEATS[seat])
    count = max(1, min(GUESSES, skill.tries // TRIES_A_GUESS))
    guesses = [guessing.determinize(seen, random) for _ in range(count)]
    index, pair = _followed(guesses, _ranked(guesses, random, most), seat, skill, random)
    return (_hiding(guesses, SPOTS[index], pair, random),)


def _skill(width: int) -> Skill:
    """That of the narrowest level that is as wide, or the widest."""
    ordered = sorted(SKILLS.values(), key=lambda skill: skill.width)
    return next((skill for skill in ordered if skill.width >= width), ordered[-1])


def laid(state: BlackWhiteState, index: int, pair: int, hides: Half = 0) -> BlackWhiteState:
    """The state after that pair of numbers is laid on the spot of that index."""
    return played(state, _place(SPOTS[index], pair, hides))


def likely(state: BlackWhiteState, random: RandomSource) -> BlackWhiteState:
    """The state after one of the placements that score most."""
    _, places = chances.best(state)
    index, pairs = choose(random, places)
    for _ in range(below(random, pairs.bit_count())):
        pairs &= pairs - 1
    return laid(state, index, (pairs & -pairs).bit_length() - 1)


def _place(spot: Spot, pair: int, hides: Half) -> PlaceDomino:
    return place(spot, divmod(pair, chances.NUMBERS), hides)


def _ranked(guesses: Sequence[BlackWhiteState], random: RandomSource, most: int) -> list[Laid]:
    """At most so many ways to lay a domino, those first that score most beyond the opponent's best
    answer; of equals any."""
    guesses = guesses[:RANKED_IN]
    worth: dict[Laid, float] = {}
    for guess in guesses:
        for points, places in enumerate(chances.by_points(guess)):
            for index, pairs in places:
                for pair in chances.listed(pairs):
                    worth[index, pair] = worth.get((index, pair), 0) + points / len(guesses)
    noticed = shuffled(random, list(worth))[: NOTICED * most]
    enough = max([worth[way] for way in noticed]) - SLACK
    order: dict[Laid, tuple[float, float]] = {}
    for way in noticed:
        scored = worth[way]
        if scored >= enough:
            answers = [chances.best(laid(guess, *way))[0] for guess in guesses]
            order[way] = scored - sum(answers) / len(guesses), random()
    return sorted(order, key=order.__getitem__, reverse=True)[:most]


def _followed(
    guesses: Sequence[BlackWhiteState],
    ways: Sequence[Laid],
    seat: Seat,
    skill: Skill,
    random: RandomSource,
) -> Laid:
    """The one of ``ways`` after which play turns out best: half of those left are dropped at a
    time, as in `games.engine.search`."""
    left = list(range(len(ways)))
    worth = [0.0] * len(ways)
    rounds = (len(ways) - 1).bit_length()
    for _ in range(rounds):
        for _ in range(max(1, skill.tries // (rounds * len(left)))):
            guess = choose(random, guesses)
            for number in left:
                state = laid(guess, *ways[number])
                for _ in range(skill.depth):
                    if not state.legal:
                        break
                    state = likely(state, random)
                worth[number] += estimate(state, seat)
        left.sort(key=worth.__getitem__, reverse=True)
        del left[(len(left) + 1) // 2 :]
    return ways[left[0]]


def _hiding(
    guesses: Sequence[BlackWhiteState], spot: Spot, pair: int, random: RandomSource
) -> PlaceDomino:
    """The placement that hides the half which tells the opponent less: the one that may be more
    numbers, going by its colour and the letters met; else the one that lies in more lines which
    can still score."""
    offers = [chances.offered(guess.lines, spot) for guess in guesses]

    def secrecy(hides: Half) -> tuple[int, int, float]:
        doubts = sum(
            chances.letters_of(offer, each) == chances.letters_of(offer, pair)
            for offer in offers
            for each in _alike(pair, hides)
        )
        return doubts, _lines_to_come(guesses[0], spot, hides), random()

    return _place(spot, pair, max(HALVES, key=secrecy))


def _alike(pair: int, hides: Half) -> list[int]:
    """The pairs that look the same with that half hidden."""
    numbers = divmod(pair, chances.NUMBERS)
    step = 1 if hides else chances.NUMBERS
    rest = pair - step * numbers[hides]
    shade = colour(numbers[hides])
    return [rest + step * each for each in range(chances.NUMBERS) if colour(each) == shade]


def _lines_to_come(state: BlackWhiteState, spot: Spot, hides: Half) -> int:
    """How many lines through that half are not full once the spot is."""
    filled = {cell for placed in state.history for cell in placed.place.spot.cells}
    filled.update(spot.cells)
    cell = spot.cells[hides]
    return sum(cell in line.cells and not filled.issuperset(line.cells) for line in LINES)
