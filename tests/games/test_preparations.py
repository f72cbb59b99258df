"""What organisers prepare: kept, checked, deleted, and played."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_revoke
from core.refusals import Refusal
from games.engine.capabilities import supplier
from games.models import Challenge, MatchEntry, Preparation
from games.publishing import frames
from games.reading import selectors
from games.reading.readers import reader_of
from games.rulesets import REGISTRY
from games.services.arrivals import match_attend
from games.services.challenges import challenge_accept, challenge_create
from games.services.matches import match_start
from games.services.preparations import (
    AT_MOST,
    MAX_BYTES,
    preparation_create,
    preparation_delete,
    preparation_validate,
)
from tests.games.support import (
    SECOND,
    T0,
    Play,
    Wire,
    committing,
    record_holds,
    refused,
    started,
)
from tests.rulesets.peg_domain.helpers import OTHER_PEGS, PEGS

PALLETS = f"pallet red {PEGS}\npallet blue {OTHER_PEGS}"
POOL = json.loads(supplier(REGISTRY.get("domain")).supply_files("pool")["example"])


def kept(user: User, **more: Any) -> Preparation:
    arguments: dict[str, Any] = {
        "ruleset_id": "peg-domain", "key": "pallets", "name": "Plain", "data": PALLETS.encode(),
        **more,
    }  # fmt: skip
    return preparation_create(acting_user=user, **arguments)


def kept_pool(user: User) -> Preparation:
    return kept(user, ruleset_id="domain", key="pool", data=json.dumps(POOL).encode())


# -- keeping -------------------------------------------------------------------------------------


def test_what_is_kept_is_canonical_and_audited(orla: User) -> None:
    made = kept(orla, name=" Plain\npallets ", data=b"\xef\xbb\xbf" + PALLETS.upper().encode())
    assert (made.owner, made.name) == (orla, "Plain pallets")
    assert (
        made.value == supplier(REGISTRY.get("peg-domain")).validate_supply("pallets", PALLETS).value
    )
    assert made.prepared == {"pallets": made.value}
    audit = AuditEntry.objects.get(action="preparation.create")
    assert (audit.who, audit.target_id) == (orla, str(made.pk))
    # The audit log is read by people who may not know what will be played.
    assert audit.data == {"ruleset": "peg-domain", "key": "pallets", "name": "Plain pallets"}


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("preparation.name-missing", {"name": " \n"}),
        ("preparation.name-too-long", {"name": "x" * 61}),
        ("preparation.faulty", {"data": b"pallet red A1"}),
        ("preparation.not-text", {"data": b"\xff\xfe"}),
        ("preparation.too-large", {"data": b"#" * (MAX_BYTES + 1)}),
        ("setup.ruleset", {"ruleset_id": "chess"}),
        ("setup.supply", {"ruleset_id": "tetronogo"}),
        ("setup.supply", {"key": "pool"}),
    ],
)
def test_what_cannot_be_kept(orla: User, code: str, more: dict[str, Any]) -> None:
    refused(code, kept, user=orla, **more)


def test_names_are_taken_for_each_kind_and_person_apart(orla: User, root: User) -> None:
    kept(orla)
    refused("preparation.name-taken", kept, user=orla)
    kept(root)
    single = f"pallet both {PEGS}".encode()
    kept(orla, key="pallet", data=single)


def test_only_organisers_prepare(ada: User, mona: User) -> None:
    for user in (ada, mona):
        refused("preparation.not-allowed", kept, user=user)


def test_there_is_a_limit(orla: User, monkeypatch: pytest.MonkeyPatch) -> None:
    assert AT_MOST > 1
    monkeypatch.setattr("games.services.preparations.AT_MOST", 1)
    kept(orla)
    refused("preparation.too-many", kept, user=orla, name="Another")


def test_looking_over_keeps_nothing() -> None:
    found = preparation_validate(ruleset_id="peg-domain", key="pallets", data=b"pallet red A1")
    assert len(found.faults) == 2


def test_only_the_owner_sees_and_deletes(orla: User, root: User, ada: User) -> None:
    mine = kept(orla)
    assert selectors.preparation_of(orla, mine.pk) == mine
    assert selectors.preparations_of(orla, ruleset="peg-domain", keys=["pallets"]) == [mine]
    assert selectors.preparations_of(orla, ruleset="domain") == []
    for user in (root, ada):
        assert selectors.preparations_of(user) == []
        with pytest.raises(Refusal) as no:
            selectors.preparation_of(user, mine.pk)
        assert no.value.code == "preparation.none"
        refused("preparation.none", preparation_delete, acting_user=user, preparation_id=mine.pk)
    preparation_delete(acting_user=orla, preparation_id=mine.pk)
    assert not Preparation.objects.exists()
    assert AuditEntry.objects.filter(action="preparation.delete", who=orla).count() == 1


# -- playing -------------------------------------------------------------------------------------


def test_pallets_are_drawn_as_supplied_and_the_log_says_so(
    ada: User, ben: User, orla: User, wire: Wire
) -> None:
    play = started((ada, ben), "peg-domain", prepared={"pallets": PALLETS}, prepared_by=orla)
    assert play.entries == []
    play.move(0, "take order", SECOND)
    assert [text.split()[:3] for _, text, _ in play.entries] == [
        ["take", "order"], ["pallet", "red", "A1"], ["pallet", "blue", "B1"],
    ]  # fmt: skip
    by = MatchEntry.objects.filter(match=play.pk).order_by("seq").values_list("by_name", flat=True)
    assert list(by) == ["", "Orla", "Orla"]
    for user in (ada, ben, None):
        log = reader_of(play.pk, user).sync["log"]
        told = [event["text"] for item in log for event in item["events"]]
        supplied = [text for text in told if "supplied by an organiser, Orla" in text]
        assert len(supplied) == 2
    play.move(0, "concede", 2 * SECOND)
    record = record_holds(play.match)
    assert [m.get("by") for m in record["moves"]] == [None, "Orla", "Orla", None]
    assert record["moves"][1]["move"] == f"pallet red {sorted_pegs(PEGS)}"


def sorted_pegs(names: str) -> str:
    value = (
        supplier(REGISTRY.get("peg-domain")).validate_supply("pallet", f"pallet both {names}").value
    )
    return value.removeprefix("pallet both ")


def test_a_take_back_does_not_draw_anew(ada: User, ben: User, orla: User) -> None:
    play = started((ada, ben), "peg-domain", prepared={"pallets": PALLETS}, prepared_by=orla)
    play.move(0, "take order", SECOND)
    before = play.entries[1:]
    play.act(orla, "take back", 2 * SECOND)
    play.move(0, "take colour", 3 * SECOND)
    assert play.entries[-2:] == before


@pytest.mark.usefixtures("one_seed")
@pytest.mark.parametrize("seat", [0, 1, None])
def test_nobody_can_tell_before_it_is_drawn(
    ada: User, ben: User, orla: User, set_clock: Callable[[int], None], seat: int | None
) -> None:
    """Pallets that wait change not a byte of what anybody is told."""
    set_clock(SECOND)
    user = None if seat is None else (ada, ben)[seat]
    plain = started((ada, ben), "peg-domain")
    supplied = started((ada, ben), "peg-domain", prepared={"pallets": PALLETS}, prepared_by=orla)
    told = []
    for play in (plain, supplied):
        text = frames.encoded(reader_of(play.pk, user).sync)
        told.append(text.replace(f'"match":{play.pk}', '"match":0'))
    assert told[0] == told[1]


def test_a_pool_is_an_option_of_the_match(ada: User, ben: User, orla: User) -> None:
    made = kept_pool(orla)
    play = started((ada, ben), "domain", prepared=made.prepared, prepared_by=orla)
    assert play.match.options["pool"]["name"] == "my-pool"
    assert play.entries == [("chance", "pool my-pool@1", False)]
    # What has been played keeps its own copy.
    preparation_delete(acting_user=orla, preparation_id=made.pk)
    play.move(0, "concede", SECOND)
    record = record_holds(play.match)
    assert record["moves"][0] == {"seat": "chance", "move": "pool my-pool@1", "by": "Orla"}


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("setup.supply", {"prepared": {"pool": PALLETS}}),
        ("setup.supply", {"prepared": {"pallets": PALLETS}, "variant": "tempo-up"}),
        ("setup.supply", {"prepared": {"pool": "{}"}, "ruleset_id": "tetronogo",
                          "variant": "standard"}),
        ("setup.prepared", {"prepared": {"pallets": "pallet red A1"}}),
        ("setup.prepared", {"prepared": {"pool": json.dumps(POOL)}, "ruleset_id": "domain",
                            "variant": "standard", "options": {"pool": POOL}}),
        ("setup.prepared", {"prepared": {"pallets": PALLETS}, "acting_user": None}),
    ],
)  # fmt: skip
def test_what_cannot_be_supplied(ada: User, ben: User, code: str, more: dict[str, Any]) -> None:
    arguments = {
        "acting_user": ada, "players": (ada, ben), "ruleset_id": "peg-domain",
        "variant": "gauntlet", **more,
    }  # fmt: skip
    refused(code, match_start, **arguments)


# -- challenges ----------------------------------------------------------------------------------


def challenge(orla: User, **more: Any) -> Challenge:
    arguments = {"ruleset_id": "peg-domain", "variant": "final", **more}
    return challenge_create(acting_user=orla, **arguments)


def test_an_organiser_challenges_with_what_they_prepared(ada: User, orla: User) -> None:
    made = kept(orla)
    offered = challenge(orla, preparation_id=made.pk)
    refused("preparation.in-use", preparation_delete, acting_user=orla, preparation_id=made.pk)
    with committing():
        match = challenge_accept(acting_user=ada, challenge=offered)
    play = Play(match, (orla, ada))
    at = match.created_at.timestamp() * 1000 - T0
    with committing():
        match_attend(match_id=match.pk, there=(True, True), at=int(at) + T0)
    seat = play.held.live.table.advantage
    assert seat is not None
    play.move(seat, "take order", int(at) + 1)
    drawn = MatchEntry.objects.filter(match=match, actor="chance", by_name="Orla")
    assert drawn.count() == 2
    preparation_delete(acting_user=orla, preparation_id=made.pk)
    offered.refresh_from_db()
    assert (offered.preparation, offered.match) == (None, match)


def test_what_a_challenge_cannot_be_made_with(orla: User, root: User, ada: User) -> None:
    mine, theirs = kept(orla), kept(root)
    refused("preparation.none", challenge, orla=orla, preparation_id=theirs.pk)
    refused("preparation.none", challenge, orla=orla, preparation_id=0)
    refused("setup.supply", challenge, orla=orla, preparation_id=mine.pk, variant="tempo-up")
    refused(
        "setup.supply", challenge, orla=orla, preparation_id=mine.pk,
        ruleset_id="domain", variant="standard",
    )  # fmt: skip
    role_revoke(acting_user=root, user=orla, role=Role.ORGANISER)
    refused("preparation.not-allowed", challenge, orla=orla, preparation_id=mine.pk)
    refused("preparation.not-allowed", challenge, orla=ada, preparation_id=mine.pk)


def test_a_pool_comes_to_a_challenge_only_as_a_preparation(orla: User) -> None:
    refused(
        "setup.options", challenge, orla=orla, ruleset_id="domain", variant="standard",
        options={"pool": POOL},
    )  # fmt: skip
