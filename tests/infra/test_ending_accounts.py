"""Accounts that are closed, suspended or merged in the same moment as they are given a place
somewhere: whoever comes second waits, and finds what the first has done."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product

import pytest
from django.db import connection, transaction

from accounts.models import User
from accounts.moderation.merging import user_merge
from accounts.moderation.sanctions import user_suspend
from accounts.roles import Role
from accounts.services import role_grant, user_close
from core.refusals import Refusal
from games.models import Challenge, Match, MatchCommentator, MatchReferee
from games.services.challenges import challenge_accept, challenge_create
from games.services.commentary import commentator_name
from games.services.matches import match_referees_set
from tests.games.support import started, user_named
from tests.support.locks import own_pid, somebody_waits_for
from tests.support.site import wait_for
from tests.tournaments.support import enrolled, organiser_joins, organiser_named, running, who
from tests.tournaments.test_documents import elsewhere
from tournaments.documents.export import season_export
from tournaments.documents.restore import season_import
from tournaments.models import Contestant, SeasonOrganiser
from tournaments.services.contestants.departures import contestant_replace
from tournaments.services.contestants.enrolment import contestant_enrol, contestant_join
from tournaments.services.seasons import season_create

pytestmark = pytest.mark.django_db(transaction=True)

SOON = 60  # seconds: far more than anything here takes


@dataclass
class Scene:
    """The account that is to end, and whoever else it takes. All are made before the race."""

    dupe: User
    keep: User
    cleo: User
    root: User
    orla: User


def offer(challenger: User, opponent: User | None) -> Challenge:
    return challenge_create(
        acting_user=challenger, opponent=opponent, ruleset_id="tetronogo", variant="standard"
    )


# -- what gives an account a place, and what it takes beforehand ---------------------------------

Action = Callable[[], object]


def plays(scene: Scene) -> Action:
    return lambda: started((scene.cleo, scene.dupe))


def accepts(scene: Scene) -> Action:
    offered = offer(scene.cleo, scene.dupe)
    return lambda: challenge_accept(acting_user=scene.dupe, challenge=offered)


def is_accepted(scene: Scene) -> Action:
    offered = offer(scene.dupe, None)
    return lambda: challenge_accept(acting_user=scene.cleo, challenge=offered)


def is_challenged(scene: Scene) -> Action:
    return lambda: offer(scene.cleo, scene.dupe)


def challenges(scene: Scene) -> Action:
    return lambda: offer(scene.dupe, scene.cleo)


def is_enrolled(scene: Scene) -> Action:
    season = enrolled(scene.orla, 2)
    contestant_enrol(acting_user=scene.orla, season=season, user=scene.keep)
    return lambda: contestant_enrol(acting_user=scene.orla, season=season, user=scene.dupe)


def joins(scene: Scene) -> Action:
    season = enrolled(scene.orla, 2, open_enrolment=True)
    contestant_enrol(acting_user=scene.orla, season=season, user=scene.keep)
    return lambda: contestant_join(acting_user=scene.dupe, season=season)


def takes_over(scene: Scene) -> Action:
    season = running(scene.orla, 4)
    contestant_enrol(acting_user=scene.orla, season=season, user=scene.keep)
    return lambda: contestant_replace(
        acting_user=scene.orla, contestant=who(season, 1), user=scene.dupe, why="Player 1 is ill."
    )


def referees_from_the_start(scene: Scene) -> Action:
    return lambda: started((scene.cleo, scene.orla), referees=[scene.dupe])


def referees_from_now_on(scene: Scene) -> Action:
    match = started((scene.cleo, scene.orla)).pk
    return lambda: match_referees_set(acting_user=None, match_id=match, users=[scene.dupe])


def comments(scene: Scene) -> Action:
    match = started((scene.cleo, scene.orla)).pk
    return lambda: commentator_name(acting_user=scene.root, match_id=match, user=scene.dupe)


def organises(scene: Scene) -> Action:
    dupe = as_organiser(scene)
    season = season_create(acting_user=scene.orla, name="Spring", format="swiss")
    return lambda: organiser_joins(acting_user=scene.orla, season=season, user=dupe)


def as_organiser(scene: Scene) -> User:
    role_grant(acting_user=scene.root, user=scene.dupe, role=Role.ORGANISER)
    return User.objects.get(pk=scene.dupe.pk)


def opens_a_season(scene: Scene) -> Action:
    dupe = as_organiser(scene)
    return lambda: season_create(acting_user=dupe, name="Spring", format="swiss")


def brings_a_season(scene: Scene) -> Action:
    season = enrolled(scene.orla, 2)
    archive = season_export(season=season)
    elsewhere()
    dupe = as_organiser(scene)
    return lambda: season_import(acting_user=dupe, data=archive)


PLAYING = (plays, accepts, is_accepted, is_challenged, challenges, is_enrolled, joins, takes_over)
PLACES = (
    *PLAYING, referees_from_the_start, referees_from_now_on, comments, organises, opens_a_season,
    brings_a_season,
)  # fmt: skip


# -- what ends an account ------------------------------------------------------------------------


def merge(scene: Scene) -> object:
    return user_merge(acting_user=scene.root, keep=scene.keep, duplicate=scene.dupe, reason="one")


def close(scene: Scene) -> object:
    return user_close(acting_user=scene.root, user=scene.dupe, reason="rude")


def suspend(scene: Scene) -> object:
    return user_suspend(acting_user=scene.root, user=scene.dupe, reason="rude", until=None)


# -- two at once ---------------------------------------------------------------------------------


@pytest.fixture
def scene() -> Scene:
    root = User.objects.create_superuser("root")
    dupe, keep, cleo = (user_named(name) for name in ("dupe", "keep", "cleo"))
    return Scene(dupe, keep, cleo, root, orla=organiser_named("orla"))


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def answer_of(action: Action) -> object:
    """What an action answered, or its refusal, in a thread with a connection of its own."""
    try:
        return action()
    except Refusal as refusal:
        return refusal
    finally:
        connection.close()


def held_back(pool: ThreadPoolExecutor, first: Action, second: Action) -> tuple[object, object]:
    """Do the first, and before its transaction ends the second: it goes on once the second has come
    to its end, or waits for the first."""
    written, over = threading.Event(), threading.Event()
    pids: list[int] = []

    def slowly() -> object:
        with transaction.atomic():
            pids.append(own_pid())
            answer = first()
            written.set()
            assert over.wait(SOON)
        return answer

    slow = pool.submit(answer_of, slowly)
    try:
        assert written.wait(SOON), slow.result(SOON)
        quick = pool.submit(answer_of, second)
        wait_for(lambda: quick.done() or somebody_waits_for(pids[0]), timeout=SOON)
    finally:
        over.set()
    return slow.result(SOON), quick.result(SOON)


def places_of(user: User) -> list[object]:
    """Wherever somebody has a place that is not over."""
    return [
        *Match.objects.running().filter(players__user=user),
        *MatchReferee.objects.filter(user=user, match__in=Match.objects.running()),
        *MatchCommentator.objects.filter(user=user, match__in=Match.objects.running()),
        *Challenge.objects.filter(challenger=user, status=Challenge.Status.OPEN),
        *Challenge.objects.filter(opponent=user, status=Challenge.Status.OPEN),
        *Contestant.objects.filter(user=user),
        *SeasonOrganiser.objects.filter(user=user),
    ]


# Whoever is suspended may still referee and organise.
ENDS = [
    *product(PLACES, (merge, close)),
    *product(PLAYING, (suspend,)),
]


@pytest.mark.parametrize(
    ("place", "ends"), ENDS, ids=[f"{place.__name__}-{ends.__name__}" for place, ends in ENDS]
)
def test_an_account_that_ends_gets_no_place(
    scene: Scene,
    pool: ThreadPoolExecutor,
    place: Callable[[Scene], Action],
    ends: Callable[[Scene], object],
) -> None:
    action = place(scene)
    done, refusal = held_back(pool, partial(ends, scene), action)
    assert not isinstance(done, Exception), done
    assert isinstance(refusal, Refusal), refusal
    assert places_of(scene.dupe) == []


REFUSED = {
    plays: "merge.playing",
    accepts: "merge.playing",
    is_accepted: "merge.playing",
    is_enrolled: "merge.same-season",
    joins: "merge.same-season",
    takes_over: "merge.same-season",
    referees_from_the_start: "merge.playing",
    referees_from_now_on: "merge.playing",
    comments: "merge.playing",
}


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_a_merge_finds_the_place_that_was_given_just_before(
    scene: Scene, pool: ThreadPoolExecutor, place: Callable[[Scene], Action]
) -> None:
    action = place(scene)
    given, merged = held_back(pool, action, partial(merge, scene))
    assert not isinstance(given, Exception), given
    if place in REFUSED:
        assert isinstance(merged, Refusal), merged
        assert merged.code == REFUSED[place]
        assert places_of(scene.dupe) != []
    else:
        assert not isinstance(merged, Exception), merged
        assert places_of(scene.dupe) == []
