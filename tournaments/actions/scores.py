"""What organisers can do about the scores of a main match: keep them, and correct them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from core.actions import Action, Done
from tournaments.actions.subjects import AtRound
from tournaments.formats.elimination import rescoring, scores
from tournaments.forms.scores import ScoresForm, filled_in
from tournaments.models import Episode, ScoreTable
from tournaments.rights import Right


def _table(subject: AtRound) -> ScoreTable | None:
    """The scores as they were when the page first asked for them."""
    return getattr(subject.episode, "scores", None)


def _is_recorded(subject: AtRound) -> bool:
    table = _table(subject)
    return table is not None and table.recorded_at is not None


def _may_enter(subject: AtRound) -> None:
    # Keeping them is part of an episode; correcting what is recorded is its organisers'.
    subject.must_manage(Right.RUN if _is_recorded(subject) else Right.EPISODES)
    rescoring.must_be_editable(subject.episode, subject.user, _table(subject))


def scores_form(subject: AtRound) -> Callable[..., ScoresForm]:
    """What makes the form about the scores of a main match."""
    episode = subject.episode
    table = _table(subject)
    trade = subject.sheet.trade
    return partial(
        ScoresForm,
        people=scores.playing_in(episode, table),
        currency=trade.title if trade.currency else "",
        reasoned=table is not None and table.recorded_at is not None,
        initial=_initial(episode, table),
    )


def must_be_settled(subject: AtRound) -> None:
    """Whether the placement follows from the scores as they are kept. Raises Refusal
    ``scores.none``, ``scores.recorded``, ``scores.missing`` and ``scores.tie``."""
    _, people, order, _ = scores.standing(subject.episode)
    scores.must_be_settled(order, {pk: each.shown_name for pk, each in people.items()})


def _initial(episode: Episode, table: ScoreTable | None) -> dict[str, Any]:
    if table is None:
        own = {"name": episode.main_match, "notes": episode.notes}
        return {**own, **filled_in(None, (), 0)}
    return filled_in(scores.kept_of(table), scores.lines_of(table), table.version)


def _keep(subject: AtRound, form: Any) -> Done:
    told: dict[str, Any] = {
        "acting_user": subject.user,
        "episode": subject.episode,
        "table": form.table(),
        "seen": form.cleaned_data["seen"] or 0,
    }
    if form.reasoned:
        rescoring.scores_correct(**told, why=form.cleaned_data["why"])
        return Done("The scores are corrected.", subject.address("round", subject.round.number))
    scores.scores_save(**told)
    return Done("The scores are saved.")


def _follows(subject: AtRound) -> Sequence[str]:
    if not _is_recorded(subject):
        return []
    return [
        "Where that changes the order the main match is recorded again, while the EC chooses.",
        "Once an opponent is chosen the order stays.",
        "What was won is taken back and entered anew, where it changes.",
        "That it was corrected, and why, stands on the page of rulings.",
    ]


SCORES: Final = Action[AtRound](
    name="scores",
    label=lambda s: "Correct the scores" if _is_recorded(s) else "Enter scores",
    title=lambda s: f"{s.round.name}: scores of the main match",
    button=lambda s: "Correct them" if _is_recorded(s) else "Save",
    done="The scores are saved.",
    follows=_follows,
    check=_may_enter,
    form=scores_form,
    run=_keep,
)
