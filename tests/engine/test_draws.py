"""Numbers out of a seed and two nonces: commitments, refusals, and that none is likelier."""

from __future__ import annotations

import hashlib
import hmac
import json
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from core.refusals import Refusal
from games.engine import draws as derived
from games.engine import records
from games.engine.chance import shuffled_by
from games.engine.draws import CONSTANT, Draws, Nonce
from games.rulesets import REGISTRY
from tests.engine import vectors
from tests.engine.test_verifiers import by_the_verifier

SEED, (ONE, TWO) = vectors.SEED, vectors.NONCES
EMPTY = Draws(SEED)
VECTORS: dict[str, Any] = json.loads(vectors.FILE.read_text())


def both() -> Draws:
    """After both seats have committed and opened."""
    draws = EMPTY
    for seat, nonce in ((0, ONE), (1, TWO)):
        draws = derived.committed(draws, seat, derived.nonce_commitment(seat, nonce))
    for seat, nonce in ((0, ONE), (1, TWO)):
        draws = derived.opened(draws, seat, nonce)
    return draws


def code_of(call: Any, *arguments: Any) -> str:
    with pytest.raises(Refusal) as refused:
        call(*arguments)
    return refused.value.code


# -- committing and opening ----------------------------------------------------------------------


def test_a_commitment_is_a_plain_hash_with_its_purpose_before_it() -> None:
    purpose = b"gauntlet draws/1 seed\0"
    assert EMPTY.commitment == hashlib.sha256(purpose + bytes.fromhex(SEED)).hexdigest()
    for seat in (0, 1):
        purpose = b"gauntlet draws/1 nonce %d\0" % seat
        found = hashlib.sha256(purpose + bytes.fromhex(ONE)).hexdigest()
        assert derived.nonce_commitment(seat, ONE) == found
    of_seats = {derived.nonce_commitment(0, ONE), derived.nonce_commitment(1, ONE)}
    assert len(of_seats | {derived.seed_commitment(ONE)}) == 3


def test_who_has_committed_and_not_opened_is_missing() -> None:
    assert EMPTY.missing == ()
    draws = derived.committed(EMPTY, 1, derived.nonce_commitment(1, TWO))
    assert draws.missing == (1,)
    draws = derived.committed(draws, 0, derived.nonce_commitment(0, ONE))
    assert draws.missing == (0, 1)
    assert derived.opened(draws, 0, ONE).missing == (1,)
    assert both().missing == ()


def test_the_same_once_more_changes_nothing() -> None:
    draws = both()
    for seat, nonce in ((0, ONE), (1, TWO)):
        assert derived.committed(draws, seat, derived.nonce_commitment(seat, nonce)) == draws
        assert derived.opened(draws, seat, nonce) == draws


@pytest.mark.parametrize("text", ["", "00", "0" * 63, "0" * 65, "g" * 64, "A" * 64, " " + "0" * 63])
def test_what_is_no_commitment_or_nonce_is_refused(text: str) -> None:
    assert code_of(derived.committed, EMPTY, 0, text) == "draws.commitment"
    draws = derived.committed(EMPTY, 0, derived.nonce_commitment(0, ONE))
    assert code_of(derived.opened, draws, 0, text) == "draws.nonce"


def test_whoever_commits_anew_does_so_before_any_nonce_is_opened() -> None:
    draws = derived.committed(EMPTY, 0, derived.nonce_commitment(0, ONE))
    draws = derived.committed(draws, 1, derived.nonce_commitment(1, TWO))
    other = derived.nonce_commitment(0, TWO)
    anew = derived.committed(draws, 0, other)
    assert [each.commitment for each in anew.nonces] == [other, draws.nonces[1].commitment]
    assert code_of(derived.opened, anew, 0, ONE) == "draws.nonce"
    for seat, nonce in ((0, ONE), (1, TWO)):
        after = derived.opened(draws, seat, nonce)
        assert code_of(derived.committed, after, 0, other) == "draws.committed"
    assert code_of(derived.committed, both(), 0, other) == "draws.committed"


def test_nobody_opens_what_they_have_not_committed_to() -> None:
    assert code_of(derived.opened, EMPTY, 0, ONE) == "draws.not-committed"
    draws = derived.committed(EMPTY, 0, derived.nonce_commitment(0, ONE))
    assert code_of(derived.opened, draws, 1, ONE) == "draws.not-committed"
    assert code_of(derived.opened, draws, 0, TWO) == "draws.nonce"


def test_nobody_repeats_what_the_opponent_has_committed_to() -> None:
    copied = derived.committed(EMPTY, 1, derived.nonce_commitment(0, ONE))
    assert code_of(derived.opened, copied, 1, ONE) == "draws.nonce"


def test_a_new_seed_is_32_bytes_of_the_source() -> None:
    random = Random(1)
    seeds = {derived.seed_of(random.random) for _ in range(50)}
    assert len(seeds) == 50
    assert all(len(bytes.fromhex(seed)) == derived.SIZE for seed in seeds)
    assert derived.seed_of(lambda: 0.0) == CONSTANT
    assert derived.seed_of(lambda: 1 - 2**-53) == "ff" * 32


def test_what_contradicts_itself_is_named() -> None:
    assert list(derived.faults(both())) == []
    assert list(derived.faults(EMPTY)) == []
    # Without a seed there is nothing that anything could follow from.
    for seed in ("", "00", SEED.upper(), f"{SEED}00"):
        (fault,) = derived.faults(Draws(seed))
        assert "the seed" in fault
    (fault,) = derived.faults(Draws(SEED, (Nonce("x"), Nonce())))
    assert "the commitment of seat 0" in fault
    (fault,) = derived.faults(Draws(SEED, (Nonce(), Nonce(nonce="x"))))
    assert "the nonce of seat 1" in fault
    assert len(list(derived.faults(Draws(SEED, (Nonce(nonce=ONE), Nonce(nonce=TWO)))))) == 2


# -- numbers -------------------------------------------------------------------------------------


def by_hand(draws: Draws, label: str, count: int) -> list[int]:
    """The first numbers of four bytes, as docs/record.md has them."""
    nonces = b"".join([bytes.fromhex(each.nonce or CONSTANT) for each in draws.nonces])
    message = nonces + label.encode("ascii") + b"\0"
    stream = b"".join(
        hmac.digest(bytes.fromhex(draws.seed), message + block.to_bytes(4, "big"), "sha256")
        for block in range(count // 8 + 1)
    )
    return [int.from_bytes(stream[4 * at : 4 * at + 4], "big") for at in range(count)]


@pytest.mark.parametrize("draws", vectors.sets(), ids=["none", "one", "both"])
@pytest.mark.parametrize("label", vectors.LABELS)
def test_numbers_are_the_blocks_one_after_the_other(draws: Draws, label: str) -> None:
    below = draws.numbers(label)
    assert [below(2**32) for _ in range(40)] == by_hand(draws, label, 40)


@pytest.mark.parametrize("bound", vectors.BOUNDS)
def test_words_beyond_the_last_multiple_are_passed_over(bound: int) -> None:
    below = both().numbers("many")
    found = [below(bound) for _ in range(30)]
    most = 2**32 - 2**32 % bound
    fit = (word % bound for word in by_hand(both(), "many", 500) if word < most)
    assert found == list(islice(fit, 30))


def test_no_remainder_is_likelier_than_another() -> None:
    """Of a bound that is three quarters of what four bytes hold, the lower third would come twice
    as often if words were not passed over."""
    bound = 3 * 2**30
    below = both().numbers("even")
    found = [below(bound) // 2**30 for _ in range(6000)]
    assert all(abs(found.count(third) - 2000) < 200 for third in range(3))


def test_a_source_that_is_asked_for_one_of_one_says_0() -> None:
    assert both().numbers("pool")(1) == 0


def test_every_nonce_and_every_label_changes_the_numbers() -> None:
    changed = [
        *vectors.sets(),
        msgspec.structs.replace(both(), seed=ONE),
        msgspec.structs.replace(both(), nonces=both().nonces[::-1]),
    ]
    first = [draws.numbers(label)(2**32) for draws in changed for label in vectors.LABELS]
    assert len(set(first)) == len(first)


def test_a_nonce_of_zeros_is_none() -> None:
    zeros = Draws(SEED, (Nonce("", CONSTANT), Nonce()))
    assert zeros.numbers("lot")(2**32) == EMPTY.numbers("lot")(2**32)


def test_orders_are_evenly_likely() -> None:
    orders = [
        tuple(shuffled_by(both().numbers(f"order {number}"), "abc")) for number in range(3000)
    ]
    assert len(set(orders)) == 6
    assert all(abs(orders.count(order) - 500) < 100 for order in set(orders))


# -- the published vectors -----------------------------------------------------------------------


def test_the_published_numbers_are_those_of_the_engine() -> None:
    assert VECTORS["method"] == derived.METHOD
    assert VECTORS["numbers"] == vectors.numbers()


@pytest.mark.parametrize("number", range(len(VECTORS["records"])))
def test_a_published_record_comes_out_as_it_says(number: int) -> None:
    published = VECTORS["records"][number]
    assert records.check(REGISTRY, json.dumps(published["record"]).encode())["ok"]
    assert vectors.example(published["record"]) == published


def test_the_other_verifier_says_the_same_of_the_published_records() -> None:
    published = VECTORS["records"]
    said = by_the_verifier(
        (each["record"]["ruleset"], json.dumps(each["record"])) for each in published
    )
    for each, found in zip(published, said, strict=True):
        assert [(o["at"], o["label"], o["state"]) for o in found["outcomes"]] == [
            (o["at"], o["label"], o["state"]) for o in each["drawn"]
        ]


def test_every_draw_of_every_variant_is_published() -> None:
    """And those that come once more, be it at once or after a take-back."""
    found = set()
    finals = [each for each in VECTORS["records"] if each["record"]["variant"] == "final"]
    for each in VECTORS["records"]:
        found |= vectors.kinds(each["record"], each["drawn"])
    for ruleset in REGISTRY:
        for variant in ruleset.variants:
            assert (ruleset.id, variant.id, "lot") in found
    drawn = {kind for *_, kind in found}
    assert {"lot", "pool", "pick", "deck", "pile", "mulligan", "pallet"} <= drawn
    agreed = [
        outcome["move"]
        for each in VECTORS["records"]
        for outcome in each["drawn"]
        if outcome["state"] == "agreed"
    ]
    assert agreed == ["pool my-pool@1", "pool classic@1"]
    assert {("tetronogo", "pick", "again"), ("domino-wars", "mulligan", "second")} <= found
    assert any(vectors.comes_again(Draws(each["record"]["draws"]["seed"])) for each in finals)
