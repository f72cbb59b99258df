"""What organisers can do in an elimination season: its episodes, and the final."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any, Final

from accounts.models import User
from core.actions import Action, Done
from core.refusals import allowed
from tournaments import audience, scoring
from tournaments.actions.subjects import AtRound, AtSeason
from tournaments.formats.elimination import choice, episodes, main_match, scores
from tournaments.formats.elimination.final import final_open, finalists
from tournaments.formats.elimination.main_match import Placing
from tournaments.formats.elimination.standing import game_of, standing_of
from tournaments.forms.base import PublicReasonForm
from tournaments.forms.episodes import (
    ChooseForm,
    EpisodeForm,
    FinalForm,
    MainMatchForm,
    PlacementsForm,
)
from tournaments.forms.finishing import order_text
from tournaments.models import Contestant, Episode, Unit
from tournaments.reading.episodes import EpisodeWithPlacements
from tournaments.rights import Right
from tournaments.services import repertoire
from tournaments.services.ledger.book import purses_of
from tournaments.services.ledger.immunity import immune_by_token
from tournaments.trade import trade_of


def _may_open(subject: AtSeason) -> None:
    subject.must_manage(Right.EPISODES)
    episodes.must_be_ready_for_an_episode(subject.season)


def _may_open_the_final(subject: AtSeason) -> None:
    subject.must_manage(Right.EPISODES)
    finalists(subject.season)


def _may_place(subject: AtRound) -> None:
    subject.must_manage(Right.EPISODES)
    main_match.must_await_placements(subject.episode, subject.user)


def _main_match_on(subject: AtSeason) -> EpisodeWithPlacements | None:
    """The episode whose main match can be recorded; None where that would be the next one's."""
    current = subject.sheet.current
    return None if current is None else subject.sheet.episode_of(current)


def _may_record(subject: AtSeason) -> None:
    subject.must_manage(Right.EPISODES)
    found = _main_match_on(subject)
    if found is None:
        episodes.must_be_ready_for_an_episode(subject.season)
    else:
        main_match.must_await_placements(found.row, subject.user)


def main_match_form(subject: AtSeason, *, by_scores: bool = False) -> Callable[..., MainMatchForm]:
    """What makes the form about the main match that can be recorded; ``by_scores``: with the
    placement that follows from its scores. Raises Refusal as `_standing`,
    `scores.must_take_scores` and `_scored` do."""
    season, found = subject.season, _main_match_on(subject)
    number = episodes.next_number(season) if found is None else found.row.round.number
    playing = set(season.contestants.in_round(number).values_list("pk", flat=True))
    tokens = frozenset() if found is None else immune_by_token(found.row.round)
    games = [repertoire.game_fields(each) for each in season.repertoire]
    # Read once, and only where it is recorded by scores.
    standing = cache(lambda: _standing(found))
    initial: dict[str, Any] = {"seen": standing_of(number)}
    if found is not None:
        initial = _recorded(found, tokens)
        # It may have left the season's list since it was settled.
        games += [initial["settled"]] if initial["settled"] else []
        if by_scores:
            scores.must_take_scores(found.row, subject.user, standing().table)
            initial |= _scored(found, standing(), tokens)
    return partial(
        MainMatchForm,
        people=[each for each in subject.sheet.contestants if each.pk in playing],
        names={each.pk: each.shown_name for each in subject.sheet.contestants},
        tokens=tokens,
        zone=subject.user.time_zone,
        games=games,
        usual=repertoire.game_of_round(season, number),
        won=lambda: _won(subject, standing()),
        initial=initial,
    )


def _standing(found: EpisodeWithPlacements | None) -> scores.Standing:
    """The scores by which a main match can be recorded. Raises Refusal as `scores.standing`
    does."""
    if found is None:
        raise scores.no_scores()
    return scores.standing(found.row)


def _scored(
    found: EpisodeWithPlacements, standing: scores.Standing, tokens: Collection[int]
) -> dict[str, Any]:
    """The placement that follows from the scores of a main match. Raises Refusal
    ``scores.missing`` and ``scores.tie``."""
    table, people, order, _ = standing
    scores.must_be_settled(order, {pk: each.shown_name for pk, each in people.items()})
    immune = scoring.first_of(order) if table.winner_immune else frozenset()
    return {
        "scores": table.version,
        "order": order_text(order.groups),
        "immune": sorted(immune.union(tokens)),
        "ec": None,
        "main_match": table.name or found.row.main_match,
        "notes": table.notes or found.row.notes,
    }


def _won(subject: AtSeason, standing: scores.Standing) -> dict[int, str]:
    """What the scores of a main match win each, in words. Raises Refusal ``scores.winnings``."""
    table, people, _, rows = standing
    names = {pk: each.shown_name for pk, each in people.items()}
    if not audience.sees_purses(subject.season, subject.user):
        return {}
    won = scores.winnings(table, rows, names)
    return {pk: subject.sheet.trade.said(each, Unit.CURRENCY) for pk, each in won.items()}


def opens_first(subject: AtSeason) -> bool:
    """Whether the next episode is better opened before its main match is recorded: somebody may use
    a token of immunity in between. Who may not see whether anybody has one is not told by this."""
    season, user = subject.season, subject.user
    if not trade_of(season).tokens or not OPEN.offered(subject):
        return False
    if not audience.sees_purses(season, user):
        return True
    held = {pk for pk, purse in purses_of(season).items() if purse[Unit.TOKEN] > 0}
    return any(each.pk in held for each in subject.sheet.still_in)


def _recorded(found: EpisodeWithPlacements, tokens: Collection[int]) -> dict[str, Any]:
    """What has been recorded of a main match, to be changed; before that, who has used a token."""
    row = found.row
    by_place = groupby(found.placements, key=lambda each: each.place)
    immune = {each.contestant_id for each in found.placements if each.immune}
    return {
        "seen": standing_of(row.round.number, row, found.placements),
        "order": order_text([[each.contestant_id for each in group] for _, group in by_place]),
        "immune": sorted(immune.union(tokens)),
        "ec": row.ec_id,
        "main_match": row.main_match,
        "notes": row.notes,
        "scheduled_at": row.death_match_at,
        "settled": game_of(row.round),
    }


def _record(subject: AtSeason, form: Any) -> Done:
    found = _main_match_on(subject)
    told: dict[str, Any] = {
        "acting_user": subject.user,
        "placements": form.placements(),
        "ec": form.cleaned_data["ec"],
        "ahead": form.ahead(),
        "main_match": form.cleaned_data["main_match"],
        "notes": form.cleaned_data["notes"],
    }
    seen = form.cleaned_data["seen"]
    version = form.cleaned_data["scores"]
    if found is None:
        episode = main_match.main_match_record_next(season=subject.season, seen=seen, **told)
    elif version is not None:
        episode = scores.scores_record(episode=found.row, seen=version, standing=seen, **told)
    else:
        episode = main_match.placements_record(episode=found.row, seen=seen, **told)
    follows = "chooses" if episode.dmo is None else f"meets {episode.dmo}"
    return Done(f"{episode.round.name} is recorded: {episode.ec} is the EC, and {follows}.")


def awaits_choice(episode: Episode, user: User) -> bool:
    """Whether ``user`` can name the DMO now, where no page of the season has been read."""
    return allowed(choice.must_await_choice, episode, user)


def _may_choose(subject: AtRound) -> None:
    choice.must_await_choice(subject.episode, subject.user)


def _may_skip(subject: AtRound) -> None:
    subject.must_manage(Right.EPISODES)
    episodes.must_be_skippable(subject.episode, subject.user)


def _final_form(subject: AtSeason) -> Callable[..., FinalForm]:
    usual = episodes.elimination_options(subject.season).final_best_of
    return partial(FinalForm, initial={"best_of": usual}, repertoire=subject.season.repertoire)


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
    placements = subject.with_placements.placements
    initial: dict[str, Any] = {
        "seen": standing_at(subject),
        "main_match": episode.main_match,
        "notes": episode.notes,
    }
    for each in placements:
        initial[f"place_{each.contestant_id}"] = each.place
        initial[f"immune_{each.contestant_id}"] = each.immune
    for pk in immune_by_token(subject.round):
        initial[f"immune_{pk}"] = True
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
        seen=form.cleaned_data["seen"],
    )


def choosable(subject: AtRound) -> list[Contestant]:
    """Whom the EC of an episode may choose."""
    return choice.choosable(subject.episode)


def choose_form(subject: AtRound) -> Callable[..., ChooseForm]:
    """What makes the form by which the DMO of an episode is named."""
    return partial(ChooseForm, people=choosable(subject), initial={"seen": standing_at(subject)})


def standing_at(subject: AtRound) -> str:
    """How an episode stands, as a page shows it (`standing.standing_of`)."""
    found = subject.with_placements
    return standing_of(subject.round.number, found.row, found.placements)


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
        seen=form.cleaned_data["seen"],
    )
    # Who runs the season goes on with the episode.
    if not _is_ec(subject) and subject.may(Right.EPISODES):
        return subject.address("episode")
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
RECORD: Final = Action[AtSeason](
    name="main-match",
    label="Record the main match",
    title="How the main match ended",
    button=lambda s: "Record and open the next" if _main_match_on(s) is None else "Record it",
    done="The main match is recorded.",
    check=_may_record,
    form=main_match_form,
    run=_record,
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
    form=choose_form,
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
