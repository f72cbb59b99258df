"""What those who only watch a season say of it: who will win."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from core.actions import Action
from tournaments.actions.subjects import AtDeathMatch, AtSeason
from tournaments.forms.predictions import PredictionForm
from tournaments.services import predictions

_FOLLOWS: Final = (
    "You can change your mind until it closes.",
    "Nobody is told what you say until it is decided.",
    "Then the table says how often you were right.",
    "There is nothing to win: no stakes, no prizes.",
)


def _may_predict_winner(subject: AtSeason) -> None:
    predictions.must_be_a_spectator(subject.season, subject.user)
    predictions.must_be_open_for_winner(subject.season)


def _may_predict(subject: AtDeathMatch) -> None:
    predictions.must_be_a_spectator(subject.season, subject.user)
    predictions.must_be_open(subject.death_match)


def _predict_winner(subject: AtSeason, form: Any) -> None:
    predictions.winner_predict(
        acting_user=subject.user,
        season=subject.season,
        contestant=form.cleaned_data["contestant"],
    )


def _predict(subject: AtDeathMatch, form: Any) -> None:
    predictions.death_match_predict(
        acting_user=subject.user,
        death_match=subject.death_match,
        contestant=form.cleaned_data["contestant"],
    )


PREDICT_WINNER: Final = Action[AtSeason](
    name="predict-winner",
    label="Predict",
    title="Who wins the season?",
    button="That is who wins",
    done="It is written down. You can change it until it closes.",
    follows=_FOLLOWS,
    check=_may_predict_winner,
    form=lambda s: partial(PredictionForm, people=s.sheet.still_in),
    run=_predict_winner,
)
PREDICT: Final = Action[AtDeathMatch](
    name="predict",
    label="Predict",
    title=lambda s: f"Who wins {s.death_match}?",
    button="That is who wins",
    done="It is written down. You can change it until it closes.",
    follows=_FOLLOWS,
    check=_may_predict,
    form=lambda s: partial(PredictionForm, people=s.sides),
    run=_predict,
)
