"""Matches whose draws are derived, played at random as far as anything is drawn in them, and ways
to falsify their records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec

from core.refusals import Refusal
from games.engine import draws as derived
from games.engine import live as lives
from games.engine import records
from games.engine.acts import parse_act
from games.engine.capabilities import Supplies
from games.engine.decisions import Seat
from games.engine.draws import Draws
from games.engine.live import Prepared, Turn
from games.engine.ruleset import HeldItem
from games.engine.table import AnyRuleset, Entry, Header
from tests.engine.random_play import random_header

STEPS = 60
BACK = ("take back", "take back 0", "take back 1")
BESIDE = ("pause", "resume", "reserve 0 +5", "extend 0 7", "extend 1 7", "reason")


def bytes_of(random: Random) -> str:
    """32 bytes as hexadecimal text."""
    return random.randbytes(derived.SIZE).hex()


def random_draws(random: Random) -> Draws:
    """A seed, and nonces that were opened, kept back or never given."""
    draws = Draws(bytes_of(random))
    given = [(seat, bytes_of(random), random.random()) for seat in (0, 1)]
    for seat, nonce, lot in given:
        if lot < 0.7:
            draws = derived.committed(draws, seat, derived.nonce_commitment(seat, nonce))
    for seat, nonce, lot in given:
        if lot < 0.5:
            draws = derived.opened(draws, seat, nonce)
    return draws


def _with_items(ruleset: AnyRuleset, header: Header, random: Random) -> Header:
    held = [
        HeldItem(seat, item.id)
        for item in ruleset.items
        for seat in (0, 1)
        if not item.variants or header.variant in item.variants
        if random.random() < 0.5
    ]
    return msgspec.structs.replace(header, items=tuple(held))


class DrawnGame:
    """A match in which much is drawn: decisions run out, and moves are taken back."""

    def __init__(self, ruleset: AnyRuleset, seed: int) -> None:
        self.ruleset = ruleset
        self.random = Random(seed)
        self.draws = random_draws(self.random)
        self.header = _with_items(ruleset, random_header(ruleset, seed), self.random)
        self.entries: list[Entry] = []
        self.at = 10**12
        supplies = isinstance(ruleset, Supplies) and self.random.random() < 0.2
        prepared = self._prepared() if supplies else ()
        self._keep(self._begun(self.draws, prepared))

    def _begun(self, draws: Draws | None, prepared: tuple[Prepared, ...] = ()) -> Turn:
        return lives.begin(
            self.ruleset,
            self.header,
            at=self.at,
            random=self.random.random,
            prepared=prepared,
            draws=draws,
        )

    def _prepared(self) -> tuple[Prepared, ...]:
        """What an organiser might supply: what another match of the kind begins with."""
        other = DrawnGame.__new__(DrawnGame)
        other.__dict__.update(self.__dict__, entries=[])
        other._keep(other._begun(None))
        other.play(12)
        texts = [entry.text for entry in other.entries if entry.actor == "chance"]
        kinds = {text.split(" ")[0]: text for text in texts if not text.startswith("lot")}
        return tuple([Prepared(text, "Cleo") for text in list(kinds.values())[:1]])

    def play(self, steps: int = STEPS) -> DrawnGame:
        """So many things happen, or as many as do before the end."""
        for _ in range(steps):
            if self.live.table.result is not None:
                break
            self._step()
        return self

    def _step(self) -> None:
        lot = self.random.random()
        if lot < 0.7:
            self._submit()
        elif lot < 0.85:
            deadline = lives.next_deadline(self.ruleset, self.live)
            if deadline is not None:
                self.at = max(self.at, deadline + 1)
            self._keep(lives.expire(self.ruleset, self.live, at=self.at, random=self._none))
        elif lot < 0.95:
            self.organise(self.random.choice(BACK))
        else:
            self.organise(self.random.choice(BESIDE))

    def _none(self) -> float:
        if self.live.draws is not None:
            raise AssertionError("a match whose draws are derived draws from nothing else")
        return self.random.random()

    def _submit(self) -> None:
        for seat in self.random.sample((0, 1), 2):
            slot = self.live.table.open[seat]
            if slot is not None:
                state = self.live.table.state
                move = self.ruleset.sample(state, slot.decision, self.random.random)
                self.submit(seat, self.ruleset.print(move))
                return

    def submit(self, seat: Seat, text: str) -> None:
        """A submission of a seat."""
        self._keep(
            lives.submit(
                self.ruleset, self.live, seat=seat, text=text, at=self.at, random=self._none
            )
        )

    def organise(self, text: str) -> None:
        """An act of an organiser, or a seat's take-back; nothing where it cannot be."""
        try:
            turn = lives.organise(
                self.ruleset,
                self.live,
                act=parse_act(text),
                by="Cleo",
                why="at random",
                at=self.at,
                random=self._none,
                entries=self.entries,
            )
        except Refusal:
            return
        self._keep(turn)

    def _keep(self, turn: Turn) -> None:
        self.live = turn.live
        self.entries += [happened.entry for happened in turn.happened]

    @property
    def record(self) -> dict[str, Any]:
        """Its record so far, as the server would write it."""
        written: dict[str, Any] = json.loads(
            records.write(
                self.ruleset,
                self.header,
                seats=("Ada", "Ben"),
                entries=self.entries,
                result=self.live.table.result,
                draws=self.draws,
            )
        )
        return written


# -- falsifying ----------------------------------------------------------------------------------

Record = dict[str, Any]
LETTERS = "OISZLJT"


def _drawn_entries(record: Record) -> list[dict[str, Any]]:
    """Those that were drawn, and not supplied."""
    return [move for move in record["moves"] if move["seat"] == "chance" and not move.get("by")]


def _falsified(text: str) -> str:
    """Another outcome of the same draw."""
    *words, last = text.split(" ")
    if text.startswith("lot"):
        return f"lot {1 - int(last)}"
    if len(last) == 1:
        return " ".join([*words, LETTERS[(LETTERS.index(last) + 1) % len(LETTERS)]])
    if len(words) > 2 and words[-1] != last:
        return " ".join([*words[:-1], last, words[-1]])
    return f"{text}0"


def another_outcome(record: Record, random: Random) -> bool:
    """One outcome is another one: the pile is swapped, say."""
    drawn = _drawn_entries(record)
    if drawn:
        entry = random.choice(drawn)
        entry["move"] = _falsified(entry["move"])
    return bool(drawn)


def another_outcome_after_a_take_back(record: Record, random: Random) -> bool:
    """What is drawn once more after a take-back comes out otherwise than before."""
    said: set[str] = set()
    for entry in _drawn_entries(record):
        if entry["move"] in said:
            entry["move"] = _falsified(entry["move"])
            return True
        said.add(entry["move"])
    return False


def seed_that_was_not_committed_to(record: Record, random: Random) -> bool:
    """The server chose its seed after it had seen the nonces."""
    record["draws"]["seed"] = bytes_of(random)
    return True


def another_commitment(record: Record, random: Random) -> bool:
    """The record states that something else had been committed to."""
    record["draws"]["commitment"] = bytes_of(random)
    return True


def nonce_that_was_not_committed_to(record: Record, random: Random) -> bool:
    """A nonce was exchanged."""
    given = [each for each in record["draws"]["nonces"] if "nonce" in each]
    if given:
        random.choice(given)["nonce"] = bytes_of(random)
    return bool(given)


def nonces_of_the_other_seat(record: Record, random: Random) -> bool:
    """A seat has what the other one had committed to."""
    nonces = record["draws"]["nonces"]
    record["draws"]["nonces"] = nonces[::-1]
    return any("nonce" in each for each in nonces)


def no_whole_seed(record: Record, random: Random) -> bool:
    """The seed is no seed at all."""
    record["draws"]["seed"] = record["draws"]["seed"].upper() + "0"
    return True


def no_seed(record: Record, random: Random) -> bool:
    """There is no seed, and what is stated fits that."""
    record["draws"] |= {"seed": "", "commitment": derived.seed_commitment("")}
    return True


ALWAYS_FOUND: tuple[Callable[[Record, Random], bool], ...] = (
    another_outcome,
    another_outcome_after_a_take_back,
    seed_that_was_not_committed_to,
    another_commitment,
    nonce_that_was_not_committed_to,
    nonces_of_the_other_seat,
    no_whole_seed,
    no_seed,
)


def another_seed(record: Record, random: Random) -> bool:
    """Both the seed and what it hashes to: found by what was drawn, where that hangs on it."""
    seed = bytes_of(random)
    record["draws"] |= {"seed": seed, "commitment": derived.seed_commitment(seed)}
    return True


def another_nonce(record: Record, random: Random) -> bool:
    """Both a nonce and what it hashes to: found by what was drawn, where that hangs on it."""
    seat, nonce = random.randrange(2), bytes_of(random)
    record["draws"]["nonces"][seat] = {
        "nonce": nonce,
        "commitment": derived.nonce_commitment(seat, nonce),
    }
    return True


def falsified(record: Record, seed: int) -> Iterator[tuple[str, Record, bool]]:
    """Some falsified copies of a record: what was done, the copy, and whether anybody must find
    it."""
    random = Random(f"falsified {seed}")  # other numbers than the match had
    for certain, ways in ((True, ALWAYS_FOUND), (False, (another_seed, another_nonce))):
        way = ways[seed % len(ways)]
        copy = json.loads(json.dumps(record))
        copy.pop("result", None)
        if way(copy, random):
            yield way.__name__, copy, certain


# -- what is wrong in form ------------------------------------------------------------------------


def _any_draw(record: Record, random: Random, *kinds: str) -> dict[str, Any] | None:
    """An outcome of these kinds; of any, where none is named."""
    found = [
        move
        for move in record["moves"]
        if move["seat"] == "chance" and (not kinds or move["move"].split(" ")[0] in kinds)
    ]
    return random.choice(found) if found else None


SUPPLIED = ("pool", "pallet")  # the kinds that an organiser may supply


def name_on_what_nobody_supplies(record: Record, random: Random) -> bool:
    """An outcome is said to be an organiser's where no organiser can have supplied it."""
    entry = _any_draw(record, random, "lot", "pick", "deck", "pile", "mulligan")
    if entry is not None:
        entry["by"] = "Cleo"
    return entry is not None


def name_that_is_none(record: Record, random: Random) -> bool:
    """What was drawn is said to have been supplied, by nobody."""
    entry = _any_draw(record, random, *SUPPLIED)
    if entry is not None:
        entry["by"] = random.choice([" ", "   ", "\u200b", "\u00a0\t", "\x00"])
    return entry is not None


def name_that_is_null(record: Record, random: Random) -> bool:
    """`null` stands for what is left out."""
    entry = random.choice(record["moves"]) if record["moves"] else None
    if entry is not None:
        entry[random.choice(["by", "why", "move", "t"])] = None
    return entry is not None


def spelt_otherwise(record: Record, random: Random) -> bool:
    """An outcome is not in its one spelling."""
    entry = _any_draw(record, random)
    if entry is None:
        return False
    text = entry["move"]
    kind, rest = text.split(" ", 1)
    ways = [f"{kind}  {rest}", f" {text}", f"{text} ", f"{kind.upper()} {rest}", f"{kind}.{rest}"]
    if text.lower() != text and kind != "pool":
        ways.append(text.lower())
    entry["move"] = random.choice(ways)
    return True


def drawn_twice(record: Record, random: Random) -> bool:
    """A draw stands there twice."""
    entry = _any_draw(record, random)
    if entry is not None:
        at = next(at for at, each in enumerate(record["moves"]) if each is entry)
        record["moves"].insert(at + 1, dict(entry))
    return entry is not None


def taken_back_before_anything(record: Record, random: Random) -> bool:
    """A take-back has nothing to take back."""
    first = next((at for at, each in enumerate(record["moves"]) if each["seat"] in (0, 1)), None)
    at = len(record["moves"]) if first is None else first
    back = {"seat": "organiser", "move": random.choice(BACK), "by": "Cleo", "why": "no reason"}
    record["moves"].insert(random.randint(0, at), back)
    return True


def seat_that_is_none(record: Record, random: Random) -> bool:
    """Somebody else than the four who can has done something."""
    if not record["moves"]:
        return False
    seats = ["CHANCE", "Chance", "Organiser", "0", 2, -1, None, True, [0], "service", ""]
    random.choice(record["moves"])["seat"] = random.choice(seats)
    return True


def neither_move_nor_timeout(record: Record, random: Random) -> bool:
    """An entry says nothing, or both, or what is no text, or that chance ran out of time."""
    if not record["moves"]:
        return False
    entry = random.choice(record["moves"])
    if "timeout" in entry:
        entry |= random.choice([{"move": "x"}, {"timeout": False}, {"seat": "chance"}])
        return True
    if random.random() < 0.5:
        entry["move"] = random.choice([None, 3, ["lot 1"], True])
    elif random.random() < 0.5:
        del entry["move"]
    else:
        entry["timeout"] = True
    return True


def draws_damaged(record: Record, random: Random) -> bool:
    """What the draws were derived from is not as it must be."""
    draws = record["draws"]
    lot = random.randrange(6)
    if lot == 0:
        record["draws"] = random.choice([None, {}, [], "x", 7, False])
    elif lot == 1:
        del draws[random.choice(list(draws))]
    elif lot == 2:
        draws[random.choice(list(draws))] = random.choice([None, {}, [], 3])
    elif lot == 3:
        draws["nonces"] = random.choice([draws["nonces"][:1], [*draws["nonces"], {}], {"0": {}}])
    elif lot == 4:
        draws["nonces"][random.randrange(2)] = random.choice([None, [], "x", 3])
    else:
        key = random.choice(["nonce", "commitment"])
        draws["nonces"][random.randrange(2)][key] = random.choice([None, 3, [], {}, "00", "X" * 64])
    return True


def header_damaged(record: Record, random: Random) -> bool:
    """What stands above the entries is not as it must be."""
    key = random.choice(["seats", "moves", "options", "advantage", "items", "variant", "ruleset"])
    record[key] = random.choice([None, 7, [None]])
    return True


REFUSED: tuple[Callable[[Record, Random], bool], ...] = (
    name_on_what_nobody_supplies,
    name_that_is_none,
    name_that_is_null,
    spelt_otherwise,
    drawn_twice,
    taken_back_before_anything,
    seat_that_is_none,
    neither_move_nor_timeout,
    draws_damaged,
    header_damaged,
)
"""What both refuse, whatever follows."""


def _is_extended(record: Record) -> bool:
    """Whether an organiser extended a decision. With an entry before it gone it would be none that
    was open, and without the extension an answer may come too late: the checker alone would find
    either, and neither says anything of draws."""
    return any(str(each.get("move")).startswith("extend") for each in record["moves"])


def draw_left_out(record: Record, random: Random) -> bool:
    """A draw is not there: an error where anything comes after it that had to wait for it."""
    entry = _any_draw(record, random)
    if entry is None or _is_extended(record):
        return False
    record["moves"] = [each for each in record["moves"] if each is not entry]
    return True


def lot_as_agreed(record: Record, random: Random) -> bool:
    """The advantage is said to have been agreed on, and is the other's: an error where anybody
    acts by it."""
    first: dict[str, Any] = next(iter(record["moves"]), {})
    if not str(first.get("move")).startswith("lot ") or _is_extended(record):
        return False
    record["advantage"] = 1 - int(first["move"][-1])
    record["moves"] = record["moves"][1:]
    return True


MISSING: tuple[Callable[[Record, Random], bool], ...] = (draw_left_out, lot_as_agreed)


def malformed(record: Record, seed: int) -> Iterator[tuple[str, Record, bool]]:
    """Copies of a record that are wrong in form, or in what they leave out: what was done, the
    copy, and whether both must find it whatever follows."""
    for certain, ways in ((True, REFUSED), (False, MISSING)):
        for way in ways:
            copy = json.loads(json.dumps(record))
            copy.pop("result", None)
            if way(copy, Random(f"malformed {way.__name__} {seed}")):
                yield way.__name__, copy, certain
