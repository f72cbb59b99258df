"""What organisers can do about the scores of a main match: keep them, and correct them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from core.actions import Action, Done
from core.refusals import allowed
from tournaments.actions.subjects import AtRound
from tournaments.formats.elimination import rescoring, scores
from tournaments.forms.scores import ScoresForm, filled_in
from tournaments.lifecycle import EpisodeStatus
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
    trade, recorded = subject.sheet.trade, _is_recorded(subject)
    return partial(
        ScoresForm,
        people=scores.playing_in(episode, table),
        currency=trade.title if trade.currency and _says_winnings(subject) else "",
        reasoned=recorded,
        running=episode.status == EpisodeStatus.MAIN_MATCH,
        picks_ec=recorded and episode.status == EpisodeStatus.CHOOSING,
        initial=_initial(episode, table),
    )


def _says_winnings(subject: AtRound) -> bool:
    """Whether they can say in the scores what is won: others are not asked for it."""
    if _is_recorded(subject):
        return allowed(scores.must_see_what_is_won, subject.season, subject.user)
    return allowed(scores.must_enter_winnings, subject.episode, subject.user)


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
        made = rescoring.scores_correct(
            **told, why=form.cleaned_data["why"], ec=form.cleaned_data.get("ec")
        )
        names = ", ".join(each.shown_name for each in made.out)
        stays = f" What they won stays as it was, since they have no purse any more: {names}."
        return Done(
            f"The scores are corrected.{stays if names else ''}",
            subject.address("round", subject.round.number),
        )
    scores.scores_save(**told)
    return Done("The scores are saved.")


def _follows(subject: AtRound) -> Sequence[str]:
    if not _is_recorded(subject):
        return []
    return [
        "Where that changes the order the main match is recorded again, while the EC chooses.",
        "A time of the death match that has passed is dropped then.",
        "Once an opponent is chosen the order stays.",
        "How much more or less is won is entered in the ledger, but for who has no purse more.",
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
