"""What organisers can do about one match of a death match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from core.actions import Action, Actions, Done
from games.words import LOOKED_IN
from tournaments.actions.subjects import AtLeg
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.times import ScheduleForm
from tournaments.models import Contestant, Leg
from tournaments.reading.death_matches import game_of
from tournaments.rights import Right
from tournaments.services import legs
from tournaments.services.results import corrections
from tournaments.services.scheduling import agreeing, appointments


def _for_referees(
    check: Callable[[Leg], object], right: Right = Right.RUN
) -> Callable[[AtLeg], None]:
    """What a service asks that decides about a leg."""

    def ask(subject: AtLeg) -> None:
        subject.must_decide(right)
        check(subject.leg)

    return ask


def _reminded(people: Sequence[Contestant]) -> Done:
    return Done(f"{' and '.join(each.shown_name for each in people)}: reminded.")


SCHEDULE: Final = Action[AtLeg](
    name="schedule",
    label="Set the time",
    title=lambda s: f"When {s.which} is played",
    button="Set the time",
    done="The time is set.",
    follows=["Both players are told, and must say anew that they are ready."],
    check=_for_referees(appointments.must_be_schedulable, Right.EPISODES),
    form=lambda s: partial(ScheduleForm, user=s.user, leg=s.leg),
    run=lambda s, form: appointments.leg_schedule(
        acting_user=s.user, leg=s.leg, scheduled_at=form.cleaned_data["when"]
    ),
)
REMIND: Final = Action[AtLeg](
    name="remind",
    label="Remind",
    title=lambda s: f"Remind of a time for {s.which}",
    button="Remind",
    done="They are reminded.",
    follows=[
        "Whoever is to answer is told once more; both, where nobody has proposed anything.",
        "It can be done once a day.",
    ],
    check=_for_referees(agreeing.must_be_remindable, Right.EPISODES),
    run=lambda s, _form: _reminded(agreeing.times_remind(acting_user=s.user, leg=s.leg)),
    at_once=True,
)
_IT_WAITS: Final = (
    "It waits for both players, whatever they have said before; both are told by mail.",
    "The clocks start once both are there.",
    "If they are not there in time, the match is void, and is played again.",
)
_IN_TURNS: Final = (
    "It begins once both players have looked in and their numbers are open; both are told by mail.",
    "Whoever has not looked in is waited for no longer than a turn, and half a day at most.",
    "No clock runs before.",
)
_AT_ONCE: Final = (
    "The clocks start at once; whoever has not said that they are ready is told by mail.",
)


def _how_it_begins(s: AtLeg) -> tuple[str, ...]:
    if legs.will_gather(s.season, s.leg):
        return _IN_TURNS
    return _IT_WAITS if legs.will_wait(s.season, s.leg) else _AT_ONCE


START: Final = Action[AtLeg](
    name="start",
    label="Begin now",
    title=lambda s: f"Begin {s.which} now",
    button="Begin",
    done=lambda s: (
        "The match waits for both players."
        if legs.will_wait(s.season, s.leg)
        else f"The match begins once both players {LOOKED_IN}."
        if legs.will_gather(s.season, s.leg)
        else "The match is on."
    ),
    follows=lambda s: [
        *_how_it_begins(s),
        f"It is played in {game_of(s.leg) or 'a game that must be chosen first'}.",
        "Items that are declared are used up once it has begun.",
    ],
    check=_for_referees(legs.players_of, Right.MATCHES),
    run=lambda s, _form: legs.leg_start(acting_user=s.user, leg=s.leg),
    danger=True,
)
VOID: Final = Action[AtLeg](
    name="void",
    label="Void, play again",
    title=lambda s: f"Have {s.which} played again",
    button="Declare it void",
    done="The match is void and will be played again.",
    follows=[
        "What was played of this match counts for nothing; its items come back.",
        "What its result had led to is taken back.",
    ],
    check=_for_referees(corrections.must_be_replayable),
    form=lambda _s: partial(PublicReasonForm, act="leg void"),
    run=lambda s, form: corrections.leg_void(
        acting_user=s.user, leg=s.leg, why=form.cleaned_data["why"]
    ),
    danger=True,
)

LEG: Final = Actions("leg", (SCHEDULE, REMIND, START, VOID))
