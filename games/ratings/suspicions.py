"""What matches look as if their results were farmed: those of the same two, and one player's
wins over several accounts. Pure: plain values in, findings out; `pairs` and `winners` read the
database and tell the moderators.

Nothing here decides anything. Two friends who play forty honest matches in a month are not found,
whoever wins; two who share a network address are, and a moderator sees that they are siblings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Final, NamedTuple

# A loss was given away by a concession, or by saying nothing any more until the time was out: it
# makes no difference to whom it is given. At once is so soon after the match began, ...
QUICK: Final = timedelta(minutes=2)
# ... and so many of them, of one player to the other, within so long a time are not bad luck.
QUICK_AT_LEAST: Final = 3
QUICK_WITHIN: Final = timedelta(hours=6)
# Of so many matches one player has won nearly all, and half of them were as short as this.
LOPSIDED_AT_LEAST: Final = 10
LOPSIDED_SHARE: Final = 0.9
LOPSIDED_SHORT: Final = timedelta(minutes=4)
# With a way in that is shared by many who have nothing to do with each other, one match is none.
WEAKLY_SHARED_AT_LEAST: Final = 3
# So many wins over so many accounts of one ring are told of if they were short: given up within
# this, or over as soon as they had begun. Fewer accounts are a pair, which is looked at as such.
RING_SHORT: Final = timedelta(minutes=4)
RING_SHORT_AT_LEAST: Final = 3
RING_SHORT_ACCOUNTS: Final = 2
# However long they lasted, so many are of accounts that share what strangers do not: with them
# alone somebody would stand on the leaderboards.
RING_AT_LEAST: Final = 5
RING_ACCOUNTS: Final = 3
# Whatever they share, and be it nothing that is known: so many that were given away at once, by so
# many accounts, and no less than this share of all that the winner has won.
GIVEN_AT_LEAST: Final = 6
GIVEN_ACCOUNTS: Final = 5
GIVEN_SHARE: Final = 0.5
# Whatever they share: so many that count, over so many accounts that are there for the winner
# alone, and no less than this share of all the winner's that count. Who tries somebody once and
# plays it out is none of them.
ISOLATED_AT_LEAST: Final = 5
ISOLATED_ACCOUNTS: Final = 3
ISOLATED_SHARE: Final = 0.5
ISOLATED_TIMES: Final = 3
# Fewer accounts are told of by none of these.
FEWEST: Final = min(RING_SHORT_ACCOUNTS, RING_ACCOUNTS, GIVEN_ACCOUNTS, ISOLATED_ACCOUNTS)
# An account is there for the winner alone if it has never beaten them, and no more than this share
# of all that it ever played was with others.
OTHERS_SHARE: Final = 0.2


class PairMatch(NamedTuple):
    """A match of two that counts, or would but for its length; players by their ids."""

    match_id: int
    began: datetime
    ended: datetime
    winner: int
    loser: int
    # When the loser gave it away: conceded, or did the last thing before they said nothing more.
    # None where they did not.
    given_at: datetime | None = None
    counts: bool = True
    # Somebody who plays a program is there for it alone, as often as not.
    by_bot: bool = False
    # Programs play a match out in seconds, so that it says nothing that one was short.
    of_bots: bool = False

    @property
    def lasted(self) -> timedelta:
        """From when it was begun to its end."""
        return self.ended - self.began

    @property
    def is_given_at_once(self) -> bool:
        """Whether it was given away as soon as it had begun."""
        return self._is_given_within(QUICK)

    @property
    def is_given_early(self) -> bool:
        """Whether it was given away early."""
        return self._is_given_within(RING_SHORT)

    @property
    def is_short(self) -> bool:
        """Whether it was given away early, or over as soon as it had begun."""
        if self.given_at is not None:
            return self.is_given_early
        return self.lasted <= QUICK and not self.of_bots

    def _is_given_within(self, time: timedelta) -> bool:
        return self.given_at is not None and self.given_at - self.began <= time


class Record(NamedTuple):
    """What an account has ever played that counts: against whom, how often, and how often it won;
    and how often the matches with each were given away early, whichever of the two did it."""

    played: Counter[int]
    won: Counter[int]
    given: Counter[int]


class Finding(NamedTuple):
    """One thing that looks like it: what, in a sentence, and by which matches."""

    kind: str
    words: str
    matches: tuple[int, ...]


def findings(
    matches: Sequence[PairMatch], *, shared: Sequence[str], weak: frozenset[str]
) -> list[Finding]:
    """What is to be told of the matches of one pair, in the order of their ends. ``shared``: by
    which kinds of ways both come in; ``weak``: kinds that strangers may share."""
    found = (
        _shared(matches, shared, weak),
        _quick(matches),
        _lopsided(matches),
    )
    return [each for each in found if each is not None]


def over_time(
    matches: Sequence[PairMatch],
    look: Callable[[Sequence[PairMatch]], list[Finding]],
    *,
    within: timedelta,
) -> list[Finding]:
    """What is to be told of matches of a long time, in the order of their ends: whatever ``look``
    would have found at the end of each day on which one ended, in those ``within`` so long a time
    before. What was found on several days in some of the same matches is one thing, told in the
    words of the day on which most of them were."""
    found: dict[str, list[tuple[Finding, set[int]]]] = {}
    first = 0
    for place, match in enumerate(matches):
        if place + 1 < len(matches) and matches[place + 1].ended.date() == match.ended.date():
            continue
        while matches[first].ended < match.ended - within:
            first += 1
        for each in look(matches[first : place + 1]):
            dated = each._replace(words=f"By {match.ended:%d %B %Y}: {each.words}")
            told = found.setdefault(each.kind, [])
            if told and told[-1][1].intersection(each.matches):
                best, together = told.pop()
                most = max(best, dated, key=lambda one: len(one.matches))
                told.append((most, together.union(each.matches)))
            else:
                told.append((dated, set(each.matches)))
    return [
        best._replace(matches=tuple(sorted(together)))
        for told in found.values()
        for best, together in told
    ]


class Shared(NamedTuple):
    """A way in of one kind, and the accounts that come in by it."""

    kind: str
    accounts: frozenset[int]


def ring_findings(
    winner: int,
    wins: Sequence[PairMatch],
    *,
    shared: Iterable[Shared],
    weak: frozenset[str],
    alone: Collection[int] = (),
) -> list[Finding]:
    """What is to be told of the wins of one player, in the order of their ends: those over accounts
    that share a way in with the winner or with each other, those that were given away, and those
    over accounts that are there for the winner ``alone`` (`isolated`). ``shared``: by which ways
    any of them comes in that another does, too; ``weak``: kinds that strangers may share."""
    ways = list(shared)
    short = _rings(
        winner,
        [each for each in wins if each.is_short],
        [way.accounts for way in ways],
        accounts=RING_SHORT_ACCOUNTS, matches=RING_SHORT_AT_LEAST,
    )  # fmt: skip
    strong = _rings(
        winner,
        wins,
        [way.accounts for way in ways if way.kind not in weak],
        accounts=RING_ACCOUNTS, matches=RING_AT_LEAST,
    )  # fmt: skip
    return [
        Finding(kind, _ring_words(found, said), tuple(each.match_id for each in found))
        for kind, found, said in (
            ("ring-short", short, "that share a way in, each given up early or over at once"),
            ("ring", strong, "that share a way in that strangers do not"),
            ("ring-given", _given(wins), "that gave them away as soon as they had begun"),
            ("ring-alone", _alone(wins, alone), "that have hardly ever played anybody else"),
        )
        if found
    ]


def _ring_words(wins: Sequence[PairMatch], said: str) -> str:
    accounts = len({each.loser for each in wins})
    return f"They have won {_matches(len(wins))} against {accounts} accounts {said}."


def _given(wins: Sequence[PairMatch]) -> list[PairMatch]:
    """Those of ``wins`` that were given away, where there are many and hardly any others."""
    given = [each for each in wins if each.is_given_at_once]
    many = len(given) >= GIVEN_AT_LEAST and len({each.loser for each in given}) >= GIVEN_ACCOUNTS
    return given if many and len(given) >= GIVEN_SHARE * len(wins) else []


def isolated(winner: int, records: Mapping[int, Record]) -> frozenset[int]:
    """Of accounts that somebody has beaten, those that are there for them alone: they have won
    nothing from them, and hardly played anybody else. What they gave away to each other is not
    playing: it would cost nothing."""
    found = set(records)
    while True:
        kept = {loser for loser in found if _is_alone(winner, records[loser], found)}
        if kept == found:
            return frozenset(found)
        found = kept


def _is_alone(winner: int, record: Record, beside: Collection[int]) -> bool:
    if record.won[winner]:
        return False
    theirs = record.played[winner]
    others = sum(
        times - (record.given[opponent] if opponent in beside else 0)
        for opponent, times in record.played.items()
        if opponent != winner
    )
    return others <= OTHERS_SHARE * (theirs + others)


def _alone(wins: Sequence[PairMatch], alone: Collection[int]) -> list[PairMatch]:
    """Those of ``wins`` over accounts that are there for the winner alone, where they are many and
    at least as many as all others."""
    counting = [each for each in wins if each.counts]
    times = Counter(each.loser for each in counting)
    found = [
        each
        for each in counting
        if each.loser in alone
        and (each.is_short or (times[each.loser] >= ISOLATED_TIMES and not each.by_bot))
    ]
    accounts = len({each.loser for each in found})
    many = len(found) >= ISOLATED_AT_LEAST and accounts >= ISOLATED_ACCOUNTS
    return found if many and len(found) >= ISOLATED_SHARE * len(counting) else []


def _rings(
    winner: int,
    wins: Sequence[PairMatch],
    ways: Iterable[Collection[int]],
    *,
    accounts: int,
    matches: int,
) -> list[PairMatch]:
    """Those of ``wins`` that are over the accounts of a ring with so many accounts besides the
    winner, and so many wins over them."""
    there = {winner, *(each.loser for each in wins)}
    telling: set[int] = set()
    for ring in _joined(there.intersection(way) for way in ways):
        of_ring = [each.match_id for each in wins if each.loser in ring]
        if len(ring - {winner}) >= accounts and len(of_ring) >= matches:
            telling.update(of_ring)
    return [each for each in wins if each.match_id in telling]


def _joined(sets: Iterable[set[int]]) -> list[set[int]]:
    """The sets, those that have an account in common made one; what has but one is no ring."""
    rings: list[set[int]] = []
    for each in sets:
        if len(each) < 2:
            continue
        whole = set(each).union(*(ring for ring in rings if ring & each))
        rings = [*(ring for ring in rings if not ring & each), whole]
    return rings


def _shared(
    matches: Sequence[PairMatch], shared: Sequence[str], weak: frozenset[str]
) -> Finding | None:
    needed = WEAKLY_SHARED_AT_LEAST if set(shared) <= weak else 1
    if not shared or len(matches) < needed:
        return None
    said = f"They share a way in, and have played {_matches(len(matches))}."
    return Finding("shared", said, tuple(each.match_id for each in matches))


def _quick(matches: Sequence[PairMatch]) -> Finding | None:
    quick: dict[int, list[PairMatch]] = {}
    for each in matches:
        if each.is_given_at_once:
            quick.setdefault(each.loser, []).append(each)
    together: set[int] = set()
    for given in quick.values():
        for first, last in zip(given, given[QUICK_AT_LEAST - 1 :], strict=False):
            if last.ended - first.ended <= QUICK_WITHIN:
                together |= {
                    each.match_id for each in given if first.ended <= each.ended <= last.ended
                }
    if not together:
        return None
    said = f"{_matches(len(together))} were given away as soon as they had begun."
    return Finding("quick", said, tuple(sorted(together)))


def _lopsided(matches: Sequence[PairMatch]) -> Finding | None:
    if len(matches) < LOPSIDED_AT_LEAST or matches[0].of_bots:
        return None
    first = matches[0].winner
    won = sum(each.winner == first for each in matches)
    most = max(won, len(matches) - won)
    lasted = median(each.lasted.total_seconds() for each in matches)
    short = lasted <= LOPSIDED_SHORT.total_seconds()
    if most < LOPSIDED_SHARE * len(matches) or not short:
        return None
    said = f"One of them has won {most} of {_matches(len(matches))}, half of them very short."
    return Finding("lopsided", said, tuple(each.match_id for each in matches))


def _matches(number: int) -> str:
    return "1 match" if number == 1 else f"{number} matches"
