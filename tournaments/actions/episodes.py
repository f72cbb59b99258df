"""What organisers can do in an elimination season: its episodes, and the final."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from accounts.models import User
from core.actions import Action
from core.refusals import allowed
from tournaments import audience
from tournaments.actions.subjects import AtRound, AtSeason
from tournaments.formats.elimination import choice, episodes, main_match
from tournaments.formats.elimination.final import final_open, finalists
from tournaments.formats.elimination.main_match import Placing
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.episodes import ChooseForm, EpisodeForm, FinalForm, PlacementsForm
from tournaments.models import Contestant, Episode


def _may_open(subject: AtSeason) -> None:
    subject.must_manage()
    episodes.must_be_ready_for_an_episode(subject.season)


def _may_open_the_final(subject: AtSeason) -> None:
    subject.must_manage()
    finalists(subject.season)


def _may_place(subject: AtRound) -> None:
    subject.must_manage()
    main_match.must_await_placements(subject.episode, subject.user)


def awaits_choice(episode: Episode, user: User) -> bool:
    """Whether ``user`` can name the DMO now, where no page of the season has been read."""
    return allowed(choice.must_await_choice, episode, user)


def _may_choose(subject: AtRound) -> None:
    choice.must_await_choice(subject.episode, subject.user)


def _may_skip(subject: AtRound) -> None:
    subject.must_manage()
    episodes.must_be_skippable(subject.episode, subject.user)


def _final_form(subject: AtSeason) -> Callable[..., FinalForm]:
    usual = episodes.elimination_options(subject.season).final_best_of
    return partial(FinalForm, initial={"best_of": usual})


def _open_the_final(subject: AtSeason, form: Any) -> str:
    final = final_open(
        acting_user=subject.user,
        season=subject.season,
        name=form.cleaned_data["name"],
        best_of=form.cleaned_data["best_of"],
        games=form.games(),
    )
    return final.get_absolute_url()


def _placements_form(subject: AtRound) -> Callable[..., PlacementsForm]:
    episode = subject.episode
    initial: dict[str, Any] = {"main_match": episode.main_match, "notes": episode.notes}
    for each in subject.with_placements.placements:
        initial[f"place_{each.contestant_id}"] = each.place
        initial[f"immune_{each.contestant_id}"] = each.immune
    people = list(main_match.in_main_match(episode))
    return partial(PlacementsForm, contestants=people, initial=initial)


def _place(subject: AtRound, form: Any) -> None:
    main_match.placements_record(
        acting_user=subject.user,
        episode=subject.episode,
        placements=[Placing(*each) for each in form.placements()],
        ec=form.cleaned_data["ec"],
        main_match=form.cleaned_data["main_match"],
        notes=form.cleaned_data["notes"],
    )


def choosable(subject: AtRound) -> list[Contestant]:
    """Whom the EC of an episode may choose."""
    return choice.choosable(subject.episode)


def _is_ec(subject: AtRound) -> bool:
    return audience.may_choose_dmo(subject.episode, subject.user)


def _choice_follows(subject: AtRound) -> Sequence[str]:
    return [
        "Whoever you choose has the advantage in the death match."
        if _is_ec(subject)
        else "The EC did not choose, or cannot: whoever you name has the advantage.",
        "The choice is public at once and cannot be changed.",
    ]


def _choose(subject: AtRound, form: Any) -> str:
    row = choice.dmo_choose(
        acting_user=subject.user,
        episode=subject.episode,
        contestant=form.cleaned_data["contestant"],
    )
    return row.get_absolute_url()


OPEN: Final = Action[AtSeason](
    name="episode",
    label="Open the next episode",
    title="Open the next episode",
    button="Open it",
    done="The episode has begun.",
    follows=["The main match is played elsewhere; you record how everybody came off."],
    check=_may_open,
    form=lambda _s: EpisodeForm,
    run=lambda s, form: episodes.episode_open(
        acting_user=s.user, season=s.season, **form.cleaned_data
    ),
)
FINAL: Final = Action[AtSeason](
    name="final",
    label="Open the final",
    title="Open the final",
    button="Open the final",
    done="The final is open.",
    follows=[
        "The last two meet in the best of so many matches.",
        "Each of the eliminated may give one item for each match.",
        "Whoever holds more items given for a match has its advantage.",
    ],
    check=_may_open_the_final,
    form=_final_form,
    run=_open_the_final,
)
PLACEMENTS: Final = Action[AtRound](
    name="placements",
    label="Record the main match",
    title=lambda s: f"{s.round.name}: how the main match ended",
    button="Record it",
    done="The main match is recorded.",
    follows=[
        "1 is the best; equal places are possible.",
        "Whoever came last is the EC and is asked to choose from those who are not immune.",
    ],
    check=_may_place,
    form=_placements_form,
    run=_place,
)
CHOOSE: Final = Action[AtRound](
    name="choose",
    label="Name the DMO",
    title=lambda s: "Choose your opponent" if _is_ec(s) else f"Name the opponent of {s.episode.ec}",
    button=lambda s: "This is my choice" if _is_ec(s) else "Name the opponent",
    done="The choice is made.",
    follows=_choice_follows,
    check=_may_choose,
    form=lambda s: partial(ChooseForm, people=choosable(s)),
    run=_choose,
)
SKIP: Final = Action[AtRound](
    name="skip",
    label="Nobody leaves",
    title=lambda s: f"Nobody leaves in {s.round.name}",
    button="End the episode",
    done=lambda s: f"{s.round.name} ends without a death match.",
    follows=["The episode ends, everybody stays in, and the next one can be opened."],
    check=_may_skip,
    form=lambda _s: partial(PublicReasonForm, act="skip"),
    run=lambda s, form: episodes.episode_skip(
        acting_user=s.user, episode=s.episode, why=form.cleaned_data["why"]
    ),
    danger=True,
)
