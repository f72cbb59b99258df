"""How bots play.

Nearly every number on the board can be told from the letters announced, so a match is one of
looking ahead. Random continuations are blind here: a placement out of the hundreds that are legal
scores 0.65 points, the best one two or three. So this search plays on as a player would for a few
placements, and judges the position then (`estimate`): greedily, each side scoring what it can, or
where it is to be strong carefully, each side leaving the other little to score as well.

Placements are looked at in three rounds: all of them by what they score, those that score nearly
the most by what the opponent can answer as well, and the best of those by playing on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from games.engine.capabilities import Level
from games.engine.chance import RandomSource, below, choose, shuffled
from games.engine.decisions import Decision, Seat
from games.engine.search import Search, halved
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
from games.rulesets.domino_black_white.state import MOST_PLACEMENTS, BlackWhiteState, played

SEARCHES: Final[Mapping[Level, Search]] = {
    "novice": Search(width=3, tries=12, depth=1),
    "club": Search(width=6, tries=36, depth=2),
    "strong": Search(width=16, tries=1400, depth=4),
}
GUESSES: Final = 24  # drawn for a move, at most one for so many tries:
TRIES_A_GUESS: Final = 12
RANKED_IN: Final = 3  # guesses in which placements are compared by the opponent's best answer
NOTICED: Final = 45  # of all placements, at most so many for one that is followed
CARE: Final = 6  # placements that are compared for every step of a continuation
LESS: Final = 0.3  # how often one of those scores a little less than the most
CLOSE: Final = 14  # placements made, after which a strong bot plays on to the end
SLACK: Final = 1.5  # points below the most that a placement may score, to be looked at

Laid = tuple[int, int]
"""A spot, by its index, and the pair of numbers to lay there."""
Follow = Callable[[BlackWhiteState, RandomSource], BlackWhiteState]
"""How a position goes on: the state after a placement that a player may make."""


def decide(
    view: Mapping[str, Any],
    decision: Decision,
    level: Level,
    random: RandomSource,
    may_go_on: Callable[[], bool],
) -> Move:
    """The answer of a bot of that level to whoever sees this."""
    if decision.kind == "order":
        return ChooseOrder(first=False)  # whoever places last wins a tie
    search = SEARCHES[level]
    follow, depth = greedily, search.depth
    if level == "strong":
        follow = carefully
        if len(view["met"]) >= CLOSE:
            depth = MOST_PLACEMENTS

    def worth(state: BlackWhiteState) -> float:
        return _played_on(state, decision.seat, follow, depth, random)

    count = max(1, min(GUESSES, search.tries // TRIES_A_GUESS))
    guesses = [guessing.determinize(view, random) for _ in range(count)]
    ways = _ranked(guesses, random, search.width)
    index, pair = _followed(guesses, ways, worth, search.tries, random, may_go_on)
    return _hiding(guesses, SPOTS[index], pair, random)


def laid(state: BlackWhiteState, index: int, pair: int, hides: Half = 0) -> BlackWhiteState:
    """The state after that pair of numbers is laid on the spot of that index."""
    return played(state, _place(SPOTS[index], pair, hides))


def greedily(state: BlackWhiteState, random: RandomSource) -> BlackWhiteState:
    """The state after one of the placements that score most."""
    _, places = chances.best(state)
    index, pairs = choose(random, places)
    return laid(state, index, _any_of(pairs, random))


def carefully(state: BlackWhiteState, random: RandomSource) -> BlackWhiteState:
    """The state after a placement that a careful player may make: of a few that score the most, or
    nearly so, the one that leaves the opponent least."""
    places = chances.by_points(state)
    scored = [points for points in range(len(places) - 1, -1, -1) if places[points]][:2]
    found, worth = state, -len(places)
    for _ in range(CARE):
        points = scored[random() < LESS] if len(scored) > 1 else scored[0]
        index, pairs = choose(random, places[points])
        after = laid(state, index, _any_of(pairs, random))
        gain = points - chances.most(after, points - worth)
        if gain > worth:
            found, worth = after, gain
    return found


def _any_of(pairs: int, random: RandomSource) -> int:
    for _ in range(below(random, pairs.bit_count())):
        pairs &= pairs - 1
    return (pairs & -pairs).bit_length() - 1


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
            answers = [chances.most(laid(guess, *way)) for guess in guesses]
            order[way] = scored - sum(answers) / len(guesses), random()
    return sorted(order, key=order.__getitem__, reverse=True)[:most]


def _followed(
    guesses: Sequence[BlackWhiteState],
    ways: Sequence[Laid],
    worth: Callable[[BlackWhiteState], float],
    tries: int,
    random: RandomSource,
    may_go_on: Callable[[], bool],
) -> Laid:
    """The one of ``ways`` after which play turns out best."""

    def attempt(left: Sequence[int]) -> list[float]:
        guess = choose(random, guesses)
        return [worth(laid(guess, *ways[number])) for number in left]

    return ways[halved(len(ways), tries, attempt, may_go_on)]


def _played_on(
    state: BlackWhiteState, seat: Seat, follow: Follow, depth: int, random: RandomSource
) -> float:
    """What so many placements later is estimated for the seat."""
    for _ in range(depth):
        if not state.legal:
            break
        state = follow(state, random)
    return estimate(state, seat)


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
