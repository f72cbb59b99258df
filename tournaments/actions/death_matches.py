"""What organisers can do about a death match as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from core.actions import Action, Actions
from core.refusals import allowed
from tournaments.actions.ledger import SET_WAGER
from tournaments.actions.subjects import AtDeathMatch
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.death_matches import RulesForm, WinnerForm
from tournaments.lifecycle import LegStatus
from tournaments.models import DeathMatch
from tournaments.rights import Right
from tournaments.services import legs
from tournaments.services.results import corrections, rulings
from tournaments.services.results.corrections import must_not_be_frozen


def _for_referees(
    check: Callable[[DeathMatch], object], right: Right = Right.RUN
) -> Callable[[AtDeathMatch], None]:
    """What a service asks that decides about a death match."""

    def ask(subject: AtDeathMatch) -> None:
        subject.must_decide(right)
        check(subject.death_match)

    return ask


def _may_set_rules(subject: AtDeathMatch) -> None:
    subject.must_decide(Right.MATCHES)
    legs.legs_open_to_rules(subject.death_match, subject.user)


def _rules_form(subject: AtDeathMatch) -> Callable[..., RulesForm]:
    planned = [leg for leg in subject.with_legs.legs if leg.status == LegStatus.PLANNED]
    return partial(RulesForm, legs=planned, user=subject.user)


def _one_of_both(act: str) -> Callable[[AtDeathMatch], Callable[..., WinnerForm]]:
    return lambda subject: partial(WinnerForm, people=subject.sides, act=act)


def _the_other(subject: AtDeathMatch) -> Callable[..., WinnerForm]:
    won = subject.death_match.winner_id
    people = [side for side in subject.sides if side.pk != won]
    return partial(WinnerForm, people=people, act="correct")


def _is_of_episode(subject: AtDeathMatch) -> bool:
    return subject.sheet.episode_of(subject.death_match.round) is not None


def _correction_follows(subject: AtDeathMatch) -> Sequence[str]:
    row = subject.death_match
    frozen = not allowed(must_not_be_frozen, row)
    other = " or ".join(str(each) for each in subject.sides if each.pk != row.winner_id)
    return [
        f"It was won by {row.winner}; {other or 'the other side'} wins it now.",
        "All that followed from it is put right: who is out, who meets whom, the places.",
        *([f"{row.round.name} {row.round.verb} frozen: reopen the round first."] if frozen else []),
    ]


def _arguments(subject: AtDeathMatch, form: Any) -> dict[str, Any]:
    return {"acting_user": subject.user, "death_match": subject.death_match, **form.cleaned_data}


RULES: Final = Action[AtDeathMatch](
    name="rules",
    label="Choose the game",
    title=lambda s: f"What {s.death_match} is played in",
    button="Play this",
    done="It is decided what is played.",
    follows=["It holds for what has not begun yet. Both players are told at once."],
    check=_may_set_rules,
    form=_rules_form,
    run=lambda s, form: legs.rules_set(
        acting_user=s.user, death_match=s.death_match, **form.rules()
    ),
)
WALKOVER: Final = Action[AtDeathMatch](
    name="walkover",
    label="Walkover",
    title=lambda s: f"Walkover in {s.death_match}",
    button="Give the walkover",
    done="The death match is decided by walkover.",
    follows=lambda s: [
        "Somebody wins because the other is not there.",
        *(["The other is out."] if _is_of_episode(s) else []),
    ],
    check=_for_referees(rulings.must_be_decidable, Right.MATCHES),
    form=_one_of_both("walkover"),
    run=lambda s, form: rulings.death_match_walkover(**_arguments(s, form)),
    danger=True,
)
DECLARE: Final = Action[AtDeathMatch](
    name="declare",
    label="Rule who has won",
    title=lambda s: f"Rule who has won {s.death_match}",
    button="Rule so",
    done="The death match is decided by your ruling.",
    follows=lambda s: [
        "A match that is being played ends at once.",
        *(["The loser is out."] if _is_of_episode(s) else []),
    ],
    check=_for_referees(rulings.must_be_decidable, Right.MATCHES),
    form=_one_of_both("declare"),
    run=lambda s, form: rulings.death_match_declare(**_arguments(s, form)),
    danger=True,
)
CORRECT: Final = Action[AtDeathMatch](
    name="correct",
    label="Give it to the other side",
    title=lambda s: f"Correct the result of {s.death_match}",
    button="Correct it",
    done="The result is corrected.",
    follows=_correction_follows,
    check=_for_referees(corrections.must_be_correctable),
    form=_the_other,
    run=lambda s, form: corrections.death_match_correct(**_arguments(s, form)),
    danger=True,
)
REOPEN: Final = Action[AtDeathMatch](
    name="reopen",
    label="Take the decision back",
    title=lambda s: f"Take back the decision about {s.death_match}",
    button="Take it back",
    done="The death match is open again.",
    follows=["What is left of it is played after all."],
    check=_for_referees(corrections.must_be_reopenable),
    form=lambda _s: partial(PublicReasonForm, act="play after all"),
    run=lambda s, form: corrections.death_match_reopen(**_arguments(s, form)),
    danger=True,
)
VOID: Final = Action[AtDeathMatch](
    name="void",
    label="Call the death match off",
    title=lambda s: f"Call {s.death_match} off",
    button="Call it off",
    done="The death match is void.",
    follows=lambda s: [
        "It counts for nothing, whatever was played of it.",
        *(["The EC chooses again."] if _is_of_episode(s) else []),
        "This cannot be undone.",
    ],
    check=_for_referees(corrections.must_be_voidable),
    form=lambda _s: partial(PublicReasonForm, act="call off"),
    run=lambda s, form: corrections.death_match_void(**_arguments(s, form)),
    danger=True,
)

DEATH_MATCH: Final = Actions(
    "death-match", (CORRECT, REOPEN, RULES, SET_WAGER, WALKOVER, DECLARE, VOID)
)
