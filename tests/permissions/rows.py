"""A row of every model that the administration shows, so that whoever asks for one is not answered
only that it is not there."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.utils import timezone
from oauth2_provider.models import (
    get_access_token_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from accounts.blocking.services import block_create
from accounts.models import (
    AccountMerge,
    Appeal,
    RegistrationChange,
    Sanction,
    SiteAnnouncement,
)
from core.jobs.models import JobDone
from games.models import (
    FeaturedMatch,
    Match,
    MatchCommentator,
    Prediction,
    ServiceProcess,
)
from games.ratings.models import Rating, RatingLadder, RatingRuling, WaitingRuling
from tests.accounts.factors import with_app
from tests.games.support import user_named
from tests.permissions.world import World


def rows_make(world: World, match: Match, application: Any) -> Appeal:
    """Make them; most are about Eve, who is nobody that is asked. The match is one that is on.
    Returns Paul's appeal."""
    root, paul, eve = world.root, world.users["paul"], world.users["eve"]
    _of_keys(eve, application)
    now, moment = timezone.now(), int(timezone.now().timestamp() * 1000)
    # -- people
    twin = user_named("twin")
    AccountMerge.objects.create(keep=eve, duplicate=twin, by=root, reason="One person's.")
    SiteAnnouncement.objects.create(words="We are glad that you are here.", by=root)
    RegistrationChange.objects.create(is_open=True, by=root)
    # By somebody who is not asked: nobody answers an appeal against a sanction of their own.
    warning = Sanction.objects.create(user=paul, by=eve, kind="warning", reason="Rude again")
    block_create(acting_user=paul, user=eve)
    # Whoever is asked about second factors has all that there are.
    with_app(paul)
    RecoveryCodes.activate(paul)
    assert Authenticator.objects.filter(user=paul).count() > 1
    # -- matches
    FeaturedMatch.objects.create(place=1, match=match)
    MatchCommentator.objects.create(match=match, user=eve, named_by=root)
    # Of a match that is over: until then a prediction is a secret.
    over = world.scene("decided").leg.match
    Prediction.objects.create(match=over, user=eve, seat=0, at=moment)
    RatingRuling.objects.create(match=match, why="Farmed", by=root)
    WaitingRuling.objects.create(match=match, why="Farmed", by=root)
    ladder, _ = RatingLadder.objects.get_or_create(id="tetronogo", defaults={"method": "test"})
    Rating.objects.create(
        ladder=ladder, user=eve, mu=25.0, sigma=8.0, shown=1000, peak=1000, games=1, wins=0,
        last_played=now,
    )  # fmt: skip
    world.scene("enrolling")  # whose organisers have written to its contestants
    # -- the site itself
    world.scene("set aside")
    JobDone.objects.create(task="tests.nothing", at=now)
    ServiceProcess.objects.create(
        kind=ServiceProcess.Kind.BEAT,
        host="here",
        pid=1,
        started_at=moment,
        at=moment,
        derives_draws=True,  # or no match of the world that begins after this one would
    )
    return Appeal.objects.create(sanction=warning, words="I was not.")


def _of_keys(user: Any, application: Any) -> None:
    """What lets somebody in."""
    later = timezone.now() + timedelta(days=1)
    about: dict[str, Any] = {"user": user, "application": application}
    EmailAddress.objects.create(user=user, email="eve-too@example.org")
    get_id_token_model().objects.create(**about, expires=later, scope="read")
    access = get_access_token_model().objects.create(
        **about, token="eves-own", expires=later, scope="read"
    )
    get_grant_model().objects.create(
        **about, code="eves-own", expires=later, scope="read", redirect_uri="https://a.example/",
        claims="",
    )  # fmt: skip
    get_refresh_token_model().objects.create(**about, token="eves-again", access_token=access)
