"""Who may organise a match that names its referees: on the page, over sockets and the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.roles import Role
from accounts.services import role_grant
from games.audience import audience_of, may_organise, organised_by, organisers_of
from games.models import Match, MatchReferee
from games.reading.matches import standing_of
from games.reading.readers import reader_of
from games.services.matches import match_referees_set, match_start
from tests.games.support import SECOND, T0, Play, refused, started, user_named


@pytest.fixture
def olga(root: User) -> User:
    """Another organiser."""
    user = user_named("olga", display_name="Olga")
    role_grant(acting_user=root, user=user, role=Role.ORGANISER)
    return user


@pytest.fixture
def refereed(ada: User, ben: User, olga: User) -> Play:
    """A match of which Olga is the referee."""
    return started((ada, ben), referees=[olga])


def test_a_match_that_names_nobody_has_every_organiser(
    play: Play, orla: User, olga: User, root: User, ada: User, cleo: User
) -> None:
    assert [may_organise(play.match, user) for user in (orla, olga, root)] == [True] * 3
    assert [may_organise(play.match, user) for user in (ada, cleo, AnonymousUser(), None)] == (
        [False] * 4
    )


def test_named_referees_and_superusers_alone_organise(
    refereed: Play, orla: User, olga: User, root: User
) -> None:
    match = refereed.match
    assert [may_organise(match, user) for user in (olga, root, orla)] == [True, True, False]
    for user, may in ((olga, True), (root, True), (orla, False)):
        assert standing_of(match.pk, user)[1] is may
        assert reader_of(match.pk, user).sync["header"]["organise"] is may
        assert (match in organised_by(Match.objects.all(), user)) is may
    refused("organiser.not-allowed", refereed.organise, user=orla, text="pause", at=SECOND)
    refereed.act(olga, "pause", SECOND)
    refereed.act(root, "resume", 2 * SECOND)


def test_who_comes_is_who_the_match_says(  # noqa: PLR0917  (fixtures)
    play: Play, refereed: Play, ada: User, ben: User, cleo: User, orla: User, olga: User, root: User
) -> None:
    """`standing_of` asks in one statement what these two say."""
    MatchReferee.objects.create(match=refereed.match, user=ben)  # who plays in it
    closed = User.objects.create_user("closed", is_active=False)
    MatchReferee.objects.create(match=refereed.match, user=closed)
    people = (ada, ben, cleo, orla, olga, root, closed, AnonymousUser(), None)
    for match in (play.match, refereed.match):
        found = [standing_of(match.pk, user) for user in people]
        assert found == [(audience_of(match, user), may_organise(match, user)) for user in people]
        assert {audience for audience, _ in found} == {0, 1, "room"}
        assert {may for _, may in found} == {True, False}


def test_a_referee_needs_no_other_role(ada: User, ben: User, cleo: User) -> None:
    play = started((ada, ben), referees=[cleo])
    play.act(cleo, "pause", SECOND)
    assert list(organisers_of(play.match)) == [cleo]


def test_nobody_organises_their_own_match(ada: User, ben: User, root: User, cleo: User) -> None:
    play = started((root, ben))
    assert not may_organise(play.match, root)
    for user in (root, ben):
        assert play.match not in organised_by(Match.objects.all(), user)
    refused(
        "referee.plays", match_referees_set, acting_user=None, match_id=play.pk, users=[cleo, ben]
    )
    # The database would take it; who sits at the table still does not organise.
    MatchReferee.objects.create(match=play.match, user=ben)
    assert not may_organise(play.match, ben)


def test_a_closed_account_organises_nothing(refereed: Play, olga: User) -> None:
    olga.is_active = False
    olga.save(update_fields=["is_active"])
    assert not may_organise(refereed.match, olga)
    assert not organised_by(Match.objects.all(), olga).exists()
    assert not organisers_of(refereed.match).exists()


@pytest.mark.parametrize(
    ("code", "who"),
    [("referee.twice", ["olga", "olga"]), ("referee.plays", ["olga", "ada"])],
)
def test_who_cannot_be_a_referee(
    request: pytest.FixtureRequest, ada: User, ben: User, olga: User, code: str, who: list[str]
) -> None:
    users = [request.getfixturevalue(name) for name in who]
    arguments: dict[str, Any] = {
        "acting_user": olga, "players": (ada, ben), "ruleset_id": "tetronogo",
        "variant": "standard", "at": T0,
    }  # fmt: skip
    refused(code, match_start, **arguments, referees=users)
    play = started((ada, ben))
    refused(code, match_referees_set, acting_user=olga, match_id=play.pk, users=users)


def test_a_closed_account_is_no_referee(ada: User, ben: User, cleo: User) -> None:
    cleo.is_active = False
    cleo.save(update_fields=["is_active"])
    play = started((ada, ben))
    refused(
        "referee.account-closed",
        match_referees_set,
        acting_user=None,
        match_id=play.pk,
        users=[cleo],
    )


def test_referees_are_changed_and_audited(refereed: Play, orla: User, olga: User) -> None:
    match = match_referees_set(acting_user=olga, match_id=refereed.pk, users=[orla, olga])
    assert {referee.user for referee in match.referees.all()} == {olga, orla}
    match_referees_set(acting_user=None, match_id=refereed.pk, users=[])
    assert not refereed.match.referees.exists()
    rows = AuditEntry.objects.filter(action="match.referees").order_by("pk")
    assert [(row.who, row.data) for row in rows] == [
        (olga, {"before": [olga.pk], "after": sorted([orla.pk, olga.pk])}),
        (None, {"before": sorted([orla.pk, olga.pk]), "after": []}),
    ]


def test_who_may_change_referees(
    refereed: Play, ada: User, orla: User, olga: User, cleo: User
) -> None:
    arguments = {"match_id": refereed.pk, "users": [cleo]}
    for user in (ada, orla, cleo):
        refused("organiser.not-allowed", match_referees_set, acting_user=user, **arguments)
    refused("match.none", match_referees_set, acting_user=olga, match_id=0, users=[cleo])
    refereed.move(0, "concede", SECOND)
    refused("match.over", match_referees_set, acting_user=olga, **arguments)


def test_the_database_keeps_a_referee_once(refereed: Play, olga: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        MatchReferee.objects.create(match=refereed.match, user=olga)


def test_page_and_api_say_who_organises(
    refereed: Play, client: Client, orla: User, olga: User
) -> None:
    for user, may in ((olga, True), (orla, False)):
        client.force_login(user, backend="accounts.signin.backends.NameBackend")
        page = client.get(f"/matches/{refereed.pk}/")
        assert page.context["can_organise"] is may
        dispute = client.get(f"/matches/{refereed.pk}/dispute/")
        # There is nothing to rule on; only the referee is told so.
        assert dispute.status_code == (409 if may else 403)
        view = client.get(f"/api/v1/matches/{refereed.pk}/").json()
        assert view["header"]["organise"] is may
