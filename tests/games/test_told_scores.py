"""A result is told with its score where that tells something, everywhere alike."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from core.discord.text import escaped
from games.engine.reasons import COMMON
from games.engine.ruleset import Ruleset
from games.models import Match
from games.rulesets import REGISTRY
from games.templatetags.games import score_for, seats
from games.words import how_won, points, result_text, told_scores, won_by
from tests.games.support import SECOND, Play, started
from tests.pages.support import words
from tournaments.webhooks.telling import how_text

VARIANTS = [(ruleset.id, variant.id) for ruleset in REGISTRY for variant in ruleset.variants]
AnyRuleset = Ruleset[Any, Any]


def scores_of(play: Play) -> tuple[int, int]:
    held = play.held
    return held.ruleset.scores(held.live.table.state)


def played(pair: tuple[User, User], ruleset: str, variant: str, most: int = 1000) -> Play:
    """A match, the same in every run, in which somebody has just scored, or which has had ``most``
    moves."""
    play = started(pair, ruleset, variant=variant, random=Random(1).random)
    random, moves = Random(3).random, 0
    while moves < most and scores_of(play)[0] == scores_of(play)[1]:
        table = play.held.live.table
        seat = next(s for s in (0, 1) if table.open[s] is not None and not table.holds_back(s))
        moves += 1
        play.move(seat, play.random_move(seat, random), moves * SECOND)
    return play


@pytest.fixture
def pair(ada: User, ben: User) -> tuple[User, User]:
    return ada, ben


@pytest.mark.django_db
@pytest.mark.parametrize(("ruleset", "variant"), VARIANTS)
@pytest.mark.parametrize("has_scored", [False, True], ids=["none", "some"])
def test_whoever_concedes_is_told_the_score_once_somebody_has_scored(
    pair: tuple[User, User], ruleset: str, variant: str, has_scored: bool
) -> None:
    """In sentences, in lists, on cards, in previews and in Discord."""
    play = played(pair, ruleset, variant)
    moves = sum(actor in ("0", "1") for actor, _, _ in play.entries)
    if not has_scored:  # up to the last moment before that
        moves -= 1
        play = played(pair, ruleset, variant, most=moves)
    play.move(0, "concede", (moves + 1) * SECOND)
    match = play.match
    one, two = (points(score) for score in match.scores)
    end = f", {two} to {one}." if has_scored else "."
    own = f", {one} to {two}." if has_scored else "."
    names = ["Ada", "Ben"]
    assert result_text(names, match) == f"Ben won by concession{end}"
    assert result_text(names, match, 1) == f"You won by concession{end}"
    assert result_text(names, match, 0) == f"You lost by concession{own}"
    assert f"{how_text(match)}." == escaped(f"by concession{end}")
    assert score_for(match, pair[1]) == (f"{two} : {one}" if has_scored else "")
    shown = [seat["score"] for seat in seats(match)]
    assert shown == (match.scores if has_scored else [None, None])
    page = Client().get(f"/matches/{play.pk}/")
    assert f"Ben won by concession{end}" in words(page)
    told = f"at Gauntlet, {match.scores[0]}:{match.scores[1]}. Replay it."
    assert (told in page.content.decode()) is has_scored


@pytest.mark.parametrize("ruleset", list(REGISTRY), ids=lambda ruleset: ruleset.id)
def test_a_score_that_decided_is_told_whatever_it_is(ruleset: AnyRuleset) -> None:
    for reason in (*ruleset.reasons, *COMMON):
        match = Match(
            ruleset=ruleset.id, status="finished", winner=0, reason=reason.id, scores=[0, 0]
        )
        decided = "{own}" in reason.room
        assert (told_scores(match) == (0, 0)) is decided
        assert won_by(match) == how_won(match) + (", 0 to 0" if decided else "")


def test_of_a_ruleset_that_is_gone_a_level_score_tells_nothing() -> None:
    match = Match(ruleset="gone", status="finished", winner=0, reason="concession", scores=[7, 7])
    assert won_by(match) == "by concession"
    match.scores = [7, 9]
    assert won_by(match) == "by concession, 7 to 9"


def test_a_match_that_is_on_or_has_no_score_tells_none() -> None:
    assert told_scores(Match(ruleset="tetronogo", scores=[])) is None
    over = Match(ruleset="tetronogo", status="finished", winner=0, reason="concession", scores=[])
    assert told_scores(over) is None
