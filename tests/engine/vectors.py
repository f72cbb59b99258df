"""Examples that any other verifier of draws can be tested against: `python -m tests.engine.vectors`
writes `docs/record-vectors.json`.

Each is a short record in which what is drawn follows from its seed and nonces, with the label, the
first words and the outcome of every draw; and there are numbers below bounds of all kinds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from games.engine import draws as derived
from games.engine import live as lives
from games.engine import records
from games.engine.capabilities import Supplies
from games.engine.chance import shuffled_by
from games.engine.draws import Draws, Nonce
from games.engine.table import Header
from games.rulesets import REGISTRY
from games.rulesets.peg_domain.boards import PALLET_SQUARES, PEGS, set_of
from games.rulesets.peg_domain.drawing import LEAST_REMOVABLE
from games.rulesets.peg_domain.state import removable_at_first
from tests.engine.drawn_play import DrawnGame

FILE = Path(__file__).resolve().parents[2] / "docs" / "record-vectors.json"
SEED = bytes(range(31, -1, -1)).hex()
NONCES = ("20" * 32, "a1" * 32)
LABELS = ("lot", "pick 0 1", "pile 1", "mulligan 0 2", "many")
# Those that divide 2^32, and those that pass words over: few, a quarter, nearly half.
BOUNDS = (2, 7, 256, 192, 3_000_000_000, 3_221_225_472, 2**31 + 1)
MATCHES = 120
TRIES = 100_000


def sets() -> list[Draws]:
    """No nonce, one, and both."""
    given = [Nonce(derived.nonce_commitment(seat, NONCES[seat]), NONCES[seat]) for seat in (0, 1)]
    return [
        Draws(SEED),
        Draws(SEED, (given[0], Nonce())),
        Draws(SEED, (given[0], given[1])),
    ]


def words(draws: Draws, label: str) -> list[str]:
    """The first three words of a label, in hexadecimal."""
    below = draws.numbers(label)
    return [f"{below(2**32):08x}" for _ in range(3)]


def numbers() -> list[dict[str, Any]]:
    """Words and numbers of some labels with each set of nonces."""
    return [
        {
            "seed": draws.seed,
            "commitment": draws.commitment,
            "nonces": [{"commitment": n.commitment, "nonce": n.nonce} for n in draws.nonces],
            "label": label,
            "words": words(draws, label),
            "below": {str(bound): _first(draws, label, bound) for bound in BOUNDS},
        }
        for draws in sets()
        for label in LABELS
    ]


def _first(draws: Draws, label: str, bound: int) -> list[int]:
    below = draws.numbers(label)
    return [below(bound) for _ in range(6)]


def example(record: dict[str, Any]) -> dict[str, Any]:
    """A record with what there is to say of its draws."""
    verdict = records.check(REGISTRY, json.dumps(record).encode(), draws=True)
    stated = record["draws"]
    one, two = (Nonce(**nonce) for nonce in stated["nonces"])
    draws = Draws(stated["seed"], (one, two))
    return {
        "record": record,
        "drawn": [
            # What was agreed on is not drawn: there are no numbers of it.
            each if each["state"] == "agreed" else {**each, "words": words(draws, each["label"])}
            for each in verdict["drawn"]
        ],
    }


def kinds(record: dict[str, Any], drawn: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    """What a record is an example of: by ruleset and variant the first word of each label that is
    new, and whether there were several of it or a take-back between."""
    found: set[tuple[str, ...]] = set()
    labels = [each["label"] for each in drawn if each["state"] == "verified"]
    for label in labels:
        kind = label.split(" ")[0]
        found.add((record["ruleset"], record["variant"], kind))
        if labels.count(label) > 1:
            found.add((record["ruleset"], kind, "again"))
        if kind in ("pick", "mulligan") and label.endswith(" 2"):
            found.add((record["ruleset"], kind, "second"))
    return found


def short_records() -> list[dict[str, Any]]:
    """For each kind of draw the shortest of many matches that has it."""
    best: dict[tuple[str, ...], dict[str, Any]] = {}
    for ruleset in REGISTRY:
        for seed in range(MATCHES):
            game = DrawnGame(ruleset, seed)
            for _ in range(12):
                game.play(3)
                record = game.record
                record.pop("result", None)
                checked = records.check(REGISTRY, json.dumps(record).encode(), draws=True)
                for kind in kinds(record, checked["drawn"]):
                    kept = best.get(kind)
                    if kept is None or len(record["moves"]) < len(kept["moves"]):
                        best[kind] = record
    unique = {json.dumps(record): record for _, record in sorted(best.items(), key=lambda x: x[0])}
    return list(unique.values())


def comes_again(draws: Draws) -> bool:
    """Whether the first outcome of these would not do."""
    pegs = shuffled_by(draws.numbers("pallet red"), PALLET_SQUARES)[:PEGS]
    return removable_at_first(set_of(pegs)).bit_count() < LEAST_REMOVABLE


def drawn_anew() -> dict[str, Any]:
    """A match in which the first outcome of a draw would not do, so that it was drawn once more
    with the numbers that come next: that happens to one in many hundreds."""
    ruleset = REGISTRY.get("peg-domain")
    for number in range(TRIES):
        draws = Draws(f"{number:064x}")
        if comes_again(draws):
            break
    else:
        raise LookupError("no seed of these has such a pallet")
    options = ruleset.options_type()  # type: ignore[call-arg]
    header = Header(ruleset=ruleset.id, variant="final", options=options, advantage=0)
    turn = lives.begin(ruleset, header, at=0, random=lambda: 0.0, draws=draws)
    turn = lives.submit(ruleset, turn.live, seat=0, text="take order", at=1000, random=lambda: 0.0)
    entries = [happened.entry for happened in turn.happened]
    written = records.write(
        ruleset, header, seats=("Ada", "Ben"), entries=entries, result=None, draws=draws
    )
    record: dict[str, Any] = json.loads(written)
    return record


def agreed_pools() -> list[dict[str, Any]]:
    """Matches with a pool that was agreed on, so that only the lot is drawn: once with a pool that
    the program does not know, and once with one that is called as one that it does."""
    ruleset = REGISTRY.get("domain")
    assert isinstance(ruleset, Supplies)
    own = json.loads(ruleset.supply_files("pool")["example"])
    found = []
    for number, name in enumerate((own["name"], "classic")):
        pool = {**own, "name": name, "version": "1", "shapes": own["shapes"][:2]}
        options = msgspec.convert({"pool": pool}, ruleset.options_type)
        header = Header(ruleset=ruleset.id, variant="standard", options=options)
        draws = sets()[number + 1]
        turn = lives.begin(ruleset, header, at=0, random=lambda: 0.0, draws=draws)
        written = records.write(
            ruleset, header, seats=("Ada", "Ben"), result=None, draws=draws,
            entries=[happened.entry for happened in turn.happened],
        )  # fmt: skip
        found.append(json.loads(written))
    return found


def text() -> str:
    """The whole file."""
    document = {
        "method": derived.METHOD,
        "numbers": numbers(),
        "records": [
            example(record) for record in [*short_records(), drawn_anew(), *agreed_pools()]
        ],
    }
    return json.dumps(document, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
