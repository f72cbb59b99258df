"""Single elimination: a bracket as data, and what the results make of it.

Nothing about a bracket is stored but its seeds and the results of its matches. Sides, winners and
places follow from them by `progress`, also after a result has been corrected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from games.engine.errors import EngineFault
from tournaments.formats.brackets import (
    Bracket,
    BracketMatch,
    BracketStanding,
    BracketState,
    Progress,
    SideSource,
)
from tournaments.formats.field import Player, Result, ResultBasis, by_seed, enough


class FinalPlace(msgspec.Struct, frozen=True):
    """A final place; ``shared`` by all who went out in the same round."""

    player: int
    rank: int
    shared: bool


def seeding(size: int) -> tuple[int, ...]:
    """Seeds in the order of a first round of ``size`` places (a power of two), top to bottom.

    Neighbours meet: 1 v 16, 8 v 9, … The two best can meet in the final only, the four best from
    the semi-finals on, and so forth: each doubling puts against seed s the one that makes the
    sum one more than the size.
    """
    if size < 2 or size & (size - 1):
        raise EngineFault("a bracket's size is a power of two")
    order = [1]
    while len(order) < size:
        total = 2 * len(order) + 1
        order = [seed for high in order for seed in (high, total - high)]
    return tuple(order)


def bracket_of(
    players: Iterable[Player], *, third_place: bool = False, best_of: int = 1
) -> Bracket:
    """The bracket for these players; byes go to the best seeds.

    A third-place match needs semi-finals with losers, so fields below four have none. Raises
    Refusal ``pairing.too-few`` below two players.
    """
    if best_of < 1 or best_of % 2 == 0:
        raise EngineFault("a series is decided by an odd number of games")
    seeds = tuple(player.id for player in by_seed(players))
    enough(seeds)
    size = 1 << (len(seeds) - 1).bit_length()
    order = seeding(size)
    matches: list[BracketMatch] = []
    previous: list[int] = []
    for slot in range(size // 2):
        # The better seed of a first-round pair is never the missing one.
        high, low = sorted(order[2 * slot : 2 * slot + 2])
        away = SideSource("seed", low) if low <= len(seeds) else None
        matches.append(BracketMatch(slot + 1, 1, slot, SideSource("seed", high), away))
        previous.append(slot + 1)
    number = 1
    while len(previous) > 1:
        number += 1
        feeders, previous = previous, []
        for slot in range(len(feeders) // 2):
            above, below = feeders[2 * slot : 2 * slot + 2]
            match_id = len(matches) + 1
            home, away = SideSource("winner", above), SideSource("winner", below)
            matches.append(BracketMatch(match_id, number, slot, home, away))
            previous.append(match_id)
    if third_place and len(seeds) >= 4:
        above, below = (source.of for source in matches[-1].sources)
        home, away = SideSource("loser", above), SideSource("loser", below)
        matches.append(BracketMatch(len(matches) + 1, number, 1, home, away, third_place=True))
    return Bracket(seeds, tuple(matches), best_of)


def progress(
    bracket: Bracket, results: Iterable[Result], withdrawn: Sequence[int] = ()
) -> Progress:
    """What the results make of the bracket.

    ``results`` name their match; the games of one match count in the given order until a side has
    won most of ``best_of``. A walkover settles the match at once, void games count for nothing.

    ``withdrawn`` lists players in the order in which they left. They lose by walkover every match
    that the results have not settled; of two who have left, the first to go loses to the other.
    So a later withdrawal never changes a match that was settled before it.
    """
    games: dict[int, list[Result]] = {}
    for result in results:
        bracket.match(result.match)
        games.setdefault(result.match, []).append(result)
    left = {player: order for order, player in enumerate(withdrawn)}
    known: dict[int, BracketStanding] = {}
    stale: list[Result] = []
    for match in bracket.matches:
        home = _side(bracket, match.home, known)
        away = _side(bracket, match.away, known) if match.away is not None else None
        standing = BracketStanding(match, home, away)
        recorded = games.get(match.id, [])
        fit: list[Result] = []
        if match.away is None:
            standing = msgspec.structs.replace(standing, winner=home, how=ResultBasis.BYE)
        elif home is not None and away is not None:
            fit = [game for game in recorded if {*game.sides} == {home, away}]
            standing = _count(standing, home, away, fit, bracket.best_of, left)
        known[match.id] = standing
        stale += [game for game in recorded if game not in fit]
    final = next(s for s in reversed(known.values()) if not s.match.third_place)
    small = next((s for s in known.values() if s.match.third_place), None)
    return Progress(
        bracket=bracket,
        matches=tuple(known.values()),
        champion=final.winner,
        second=final.loser,
        third=None if small is None else small.winner,
        complete=all(s.state is BracketState.SETTLED for s in known.values()),
        stale=tuple(stale),
    )


def _side(bracket: Bracket, source: SideSource, known: dict[int, BracketStanding]) -> int | None:
    if source.kind == "seed":
        return bracket.seeds[source.of - 1]
    before = known[source.of]
    return before.winner if source.kind == "winner" else before.loser


def _count(
    standing: BracketStanding,
    home: int,
    away: int,
    games: Sequence[Result],
    best_of: int,
    left: Mapping[int, int],
) -> BracketStanding:
    """The match with its games; ``left``: when each withdrawn player left, as a number."""
    needed = best_of // 2 + 1
    wins = {home: 0, away: 0}
    winner: int | None = None
    how: ResultBasis | None = None
    for game in games:
        if game.winner is None:
            continue
        if game.how is not ResultBasis.WALKOVER:
            wins[game.winner] += 1
        if game.how is ResultBasis.WALKOVER or wins[game.winner] == needed:
            winner, how = game.winner, game.how
            break
    if how is None and not left.keys().isdisjoint((home, away)):
        stayed = len(left)
        winner = max(home, away, key=lambda side: left.get(side, stayed))
        how = ResultBasis.WALKOVER
    return msgspec.structs.replace(
        standing, home_wins=wins[home], away_wins=wins[away], winner=winner, how=how
    )


def downstream(bracket: Bracket, match_id: int) -> tuple[int, ...]:
    """Ids of all matches that depend on who wins this one, in the order of the bracket."""
    reached = {bracket.match(match_id).id}
    # Sources always stand before the matches that they feed.
    for match in bracket.matches:
        if any(source.kind != "seed" and source.of in reached for source in match.sources):
            reached.add(match.id)
    return tuple(match.id for match in bracket.matches if match.id in reached - {match_id})


def affected(bracket: Bracket, results: Iterable[Result], match_id: int) -> tuple[int, ...]:
    """Later matches with results that another winner of this match would make stale.

    In the order of the bracket. A recorded game counts once it is settled or under way, so an open
    game is affected too.
    """
    recorded = {result.match for result in results}
    return tuple(later for later in downstream(bracket, match_id) if later in recorded)


def places(progressed: Progress) -> tuple[FinalPlace, ...]:
    """Places as far as they are certain, best first.

    Whoever lost in the same round shares the best place of the round: two losers of the semi-finals
    are both third, unless a match for third place decides between them.
    """
    rounds = progressed.bracket.rounds
    small = next((s for s in progressed.matches if s.match.third_place), None)
    found: list[FinalPlace] = []
    if progressed.champion is not None:
        found.append(FinalPlace(progressed.champion, 1, shared=False))
    for number in range(rounds, 0, -1):
        if small is not None and number == rounds - 1:
            # The losers of the semi-finals have the match for third place to play.
            ends = ((3, small.winner), (4, small.loser))
            found += [
                FinalPlace(player, rank, shared=False)
                for rank, player in ends
                if player is not None
            ]
            continue
        out = [
            standing.loser
            for standing in progressed.matches
            if standing.match.round == number
            and not standing.match.third_place
            and standing.loser is not None
        ]
        rank = 1 + 2 ** (rounds - number)
        found += [FinalPlace(player, rank, shared=number < rounds) for player in out]
    return tuple(found)
