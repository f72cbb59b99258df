import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.refusals import Refusal
from tests.tournaments.pure.helpers import bye, void, walkover, won
from tournaments.formats.elimination.rules import (
    Departure,
    MainMatchPlace,
    candidates,
    choosable,
    ec_of,
    last_losses,
    places,
)
from tournaments.formats.field import Result

ANN, BEN, CAT, DAN = 1, 2, 3, 4
NAMES = {ANN: "Ann", BEN: "Ben", CAT: "Cat", DAN: "Dan"}
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return BEGAN + timedelta(days=number)


def placed(*of: int, immune: Sequence[int] = ()) -> list[MainMatchPlace]:
    """Ann, Ben and so on at these places."""
    return [
        MainMatchPlace(player, place, player in immune) for player, place in enumerate(of, start=1)
    ]


# -- who is the EC ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("came_off", "named", "ec"),
    [
        (placed(1, 2, 3), None, CAT),
        (placed(3, 2, 1), None, ANN),
        # Places may be left out, and shared higher up.
        (placed(1, 7, 1), None, BEN),
        (placed(1, 3, 3), BEN, BEN),
        (placed(1, 3, 3), CAT, CAT),
        # Somebody immune may come last along with others, and one who is not is left to choose.
        (placed(1, 3, 3, immune=[CAT]), BEN, BEN),
        (placed(1, 3, 3, immune=[CAT]), None, BEN),
        (placed(1, 2, 3, immune=[ANN]), None, CAT),
        # Whoever is immune is passed over, last or not.
        (placed(1, 2, 3, immune=[CAT]), None, BEN),
        (placed(1, 2, 2, 4, immune=[DAN]), CAT, CAT),
    ],
)
def test_whoever_came_last_is_the_ec(
    came_off: list[MainMatchPlace], named: int | None, ec: int
) -> None:
    assert ec_of(came_off, named, NAMES) == ec


@pytest.mark.parametrize(
    ("came_off", "named", "code", "said"),
    [
        (placed(1, 3, 3), None, "placements.tie", "Ben, Cat share"),
        (placed(1, 3, 3), ANN, "placements.ec-not-last", "Ann did not come last: the EC is Ben or"),
        (placed(1, 2, 3), DAN, "placements.ec-not-last", "Dan did not"),
        (placed(1, 2, 3, immune=[CAT]), CAT, "placements.ec-immune", "Cat is immune"),
        (placed(1, 2, immune=[ANN, BEN]), None, "placements.ec-immune", "Everybody is immune"),
        (placed(1, 2, 2, 4, immune=[DAN]), None, "placements.tie", "Ben, Cat share"),
        (placed(1, 3, 3, immune=[CAT]), CAT, "placements.ec-immune", "Cat is immune"),
        (placed(1, 2, 3, immune=[ANN, BEN]), None, "placements.nobody-left", "nobody whom"),
        (placed(1), None, "placements.nobody-left", "nobody whom"),
    ],
)
def test_who_cannot_be_the_ec(
    came_off: list[MainMatchPlace], named: int | None, code: str, said: str
) -> None:
    with pytest.raises(Refusal) as refused:
        ec_of(came_off, named, NAMES)
    assert (refused.value.code, said in refused.value.sentence) == (code, True)


# -- whom they may choose --------------------------------------------------------------------------


def test_the_ec_chooses_of_those_who_played_and_are_not_immune() -> None:
    came_off = placed(1, 2, 3, 4, immune=[ANN])
    assert candidates(came_off, ec=DAN, still_in=NAMES) == {BEN, CAT}
    # Who has left since cannot be chosen, nor who came in after the main match.
    assert candidates(came_off, ec=DAN, still_in=[ANN, CAT, DAN]) == {CAT}
    assert candidates(came_off[:3], ec=CAT, still_in=NAMES) == {BEN}
    # Before there is an EC it is everybody of whom that holds.
    assert candidates(came_off, ec=None, still_in=NAMES) == {BEN, CAT, DAN}


def test_nobody_who_plays_elsewhere_is_chosen() -> None:
    came_off = placed(1, 2, 3, 4)
    assert choosable(came_off, ec=DAN, still_in=NAMES, busy=[]) == {ANN, BEN, CAT}
    assert choosable(came_off, ec=DAN, still_in=NAMES, busy=[BEN, DAN]) == {ANN, CAT}
    assert choosable(came_off, ec=DAN, still_in=NAMES, busy=[ANN, BEN, CAT]) == frozenset()


# -- places ----------------------------------------------------------------------------------------


def test_the_round_of_the_last_loss() -> None:
    results = [won(1, ANN, BEN), walkover(2, CAT, DAN), won(3, BEN, ANN), bye(4, CAT)]
    assert last_losses(results) == {BEN: 1, DAN: 2, ANN: 3}
    # In whatever order results were settled; void and open ones are nobody's loss.
    assert last_losses([*reversed(results), void(5, ANN, CAT), Result(6, CAT, DAN)]) == {
        BEN: 1, DAN: 2, ANN: 3,
    }  # fmt: skip
    assert last_losses([won(5, CAT, BEN), won(1, ANN, BEN)]) == {BEN: 5}


OPENED = [(1, day(1)), (2, day(10)), (3, day(20))]


def test_the_first_to_leave_comes_last() -> None:
    out = [Departure(BEN, day(12), 2), Departure(ANN, day(3), 1), Departure(CAT, day(21), 3)]
    assert places(out, OPENED, still_in=1) == {CAT: 2, BEN: 3, ANN: 4}
    assert places(out, OPENED, still_in=5) == {CAT: 6, BEN: 7, ANN: 8}
    assert places([], OPENED, still_in=4) == {}


def test_a_correction_leaves_somebody_in_the_round_that_they_lost() -> None:
    # Ann's loss of the first round was ruled on long after Ben had lost the second.
    out = [Departure(BEN, day(12), 2), Departure(ANN, day(25), 1)]
    assert places(out, OPENED, still_in=2) == {BEN: 3, ANN: 4}


@pytest.mark.parametrize(
    ("left", "ben"),
    [
        (day(0), 4),  # before the first round: before Ann, who lost it
        (day(1), 4),  # in it, and before her
        (day(9), 3),  # in it, and after her
        (day(10), 3),  # as the second began
        (day(11), 3),  # in the second, before Cat, who lost it
        (day(19), 2),  # in it, and after her
        (day(30), 2),  # in the third
    ],
)
def test_who_withdraws_leaves_in_the_round_that_was_opened_last(left: datetime, ben: int) -> None:
    out = [Departure(ANN, day(5), 1), Departure(CAT, day(15), 2), Departure(BEN, left)]
    assert places(out, OPENED, still_in=1)[BEN] == ben


@given(
    st.lists(
        st.builds(
            Departure,
            st.integers(1, 99),
            st.integers(0, 30).map(day),
            st.none() | st.integers(1, 3),
        ),
        unique_by=lambda each: each.player,
    ),
    st.integers(0, 9),
    st.randoms(use_true_random=False),
)
def test_places_are_given_once_whatever_the_order_of_the_rows(
    out: list[Departure], still_in: int, order: random.Random
) -> None:
    found = places(out, OPENED, still_in)
    assert sorted(found.values()) == list(range(still_in + 1, still_in + 1 + len(out)))
    order.shuffle(out)
    assert places(out, OPENED, still_in) == found
    # Of two who lost in different rounds the later one stands before the other.
    lost = {each.player: each.lost_in for each in out if each.lost_in is not None}
    for one, other in zip(lost, list(lost)[1:], strict=False):
        if lost[one] != lost[other]:
            assert (lost[one] > lost[other]) == (found[one] < found[other])
