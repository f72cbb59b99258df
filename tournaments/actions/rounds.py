"""What organisers can do about rounds: pair them, set their times, close and reopen them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from django.utils.html import format_html

from core.actions import Action, Actions
from core.moments import zone_text
from core.refusals import Refusal
from tournaments.actions import episodes
from tournaments.actions.scores import SCORES
from tournaments.actions.subjects import AtRound, AtSeason
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.rounds import NextRoundForm, PairingsForm, TimesForm
from tournaments.rights import Right
from tournaments.services import rounds
from tournaments.services.guards import must_be_running
from tournaments.services.results import corrections

# A page with so many to choose from is still one that can be read.
BY_HAND_MOST: Final = 64


# -- the next one --------------------------------------------------------------------------------


def _may_pair(subject: AtSeason) -> None:
    subject.must_manage(Right.EPISODES)
    rounds.must_be_pairable(subject.season)


def _may_pair_by_hand(subject: AtSeason) -> None:
    subject.must_manage(Right.EPISODES)
    rounds.must_be_pairable_by_hand(subject.season, subject.user)


def _pairings_form(subject: AtSeason) -> Callable[..., PairingsForm]:
    sheet = subject.sheet
    people = list(subject.season.contestants.in_round(len(sheet.rounds) + 1))
    if len(people) > BY_HAND_MOST:
        raise Refusal(
            "pairing.too-many",
            f"By hand up to {BY_HAND_MOST} can be paired here; a program may pair more.",
        )
    proposed = sheet.format.proposed(sheet.course) if PAIR_BY_HAND.offered(subject) else ()
    return partial(PairingsForm, people=people, proposed=proposed)


def _pair_by_hand(subject: AtSeason, form: Any) -> str:
    opened = rounds.round_next(
        acting_user=subject.user,
        season=subject.season,
        pairings=[rounds.ManualPairing(*sides) for sides in form.pairings()],
    )
    return subject.address("round_desk", opened.number)


PAIR: Final = Action[AtSeason](
    name="pair",
    label="Pair the next round",
    title="Pair the next round",
    button="Pair it",
    done="The round is paired.",
    follows=[
        "From then on the results of the round before change only after it is reopened.",
        "Everybody who is still in is paired once; times are set on the desk.",
    ],
    check=_may_pair,
    form=lambda _s: NextRoundForm,
    run=lambda s, form: rounds.round_pair(
        acting_user=s.user, season=s.season, lenient=form.cleaned_data["lenient"]
    ),
)
PAIR_BY_HAND: Final = Action[AtSeason](
    name="pair-by-hand",
    label="Pair by hand",
    title="Pair the next round by hand",
    button="Pair it so",
    done="The round is paired.",
    follows=[
        "Everybody plays once; with an odd number one is left over, and has a bye.",
        "Nobody meets somebody again, or has a second bye.",
        "Filled in is what the format would pair, if there is a way.",
    ],
    check=_may_pair_by_hand,
    form=_pairings_form,
    run=_pair_by_hand,
)

#: How the next round comes about.
NEXT: Final = Actions(
    "next-round", (episodes.RECORD, episodes.OPEN, episodes.FINAL, PAIR, PAIR_BY_HAND)
)


# -- one that there is ---------------------------------------------------------------------------


def _may_set_times(subject: AtRound) -> None:
    subject.must_manage(Right.EPISODES)
    must_be_running(subject.season)
    if not subject.legs_to_play:
        raise rounds.none_left(subject.round)


def _may_close(subject: AtRound) -> None:
    subject.must_manage(Right.EPISODES)
    rounds.must_be_closable(subject.round)


def _may_reopen(subject: AtRound) -> None:
    subject.must_manage()
    corrections.must_be_closed(subject.round)


def _times_follow(subject: AtRound) -> Sequence[str]:
    zone = zone_text(subject.user.time_zone)
    return [format_html("In your zone, {}. What is left empty has no fixed time.", zone)]


TIMES: Final = Action[AtRound](
    name="times",
    label="Set the times",
    title=lambda s: f"Times of {s.round.name}",
    button="Set the times",
    done="The times are set.",
    follows=_times_follow,
    check=_may_set_times,
    form=lambda s: partial(TimesForm, zone=s.user.time_zone, legs=s.legs_to_play),
    run=lambda s, form: rounds.round_schedule(
        acting_user=s.user, round=s.round, times=form.times()
    ),
)
REOPEN: Final = Action[AtRound](
    name="reopen",
    label="Reopen",
    title=lambda s: f"Reopen {s.round.name}",
    button="Reopen it",
    done=lambda s: f"{s.round.name} {s.round.verb} open again.",
    follows=[
        "Its results can be changed again, though others may rest on them.",
        "That it was reopened, and why, stands on the page of rulings.",
    ],
    check=_may_reopen,
    form=lambda _s: partial(PublicReasonForm, act="reopen"),
    run=lambda s, form: corrections.round_reopen(
        acting_user=s.user, round=s.round, why=form.cleaned_data["why"]
    ),
    danger=True,
)
CLOSE: Final = Action[AtRound](
    name="close",
    label="Close",
    title=lambda s: f"Close {s.round.name}",
    button="Close it",
    done=lambda s: f"{s.round.name} {s.round.verb} complete.",
    follows=["Once a later round rests on its results, they change only after it is reopened."],
    check=_may_close,
    run=lambda s, _form: rounds.round_close_by_hand(acting_user=s.user, round=s.round),
)

ROUND: Final = Actions(
    "round", (episodes.PLACEMENTS, SCORES, episodes.CHOOSE, episodes.SKIP, TIMES, REOPEN, CLOSE)
)
