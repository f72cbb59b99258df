"""Users and matches on the running site, made there through the services.

`Desk` asks the site's hand (see `tests.support.hand`); the functions below it are what runs there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from tests.support.site import Operated


@dataclass(frozen=True)
class Person:
    """A user of the site, with the cookie of a browser that is signed in."""

    pk: int
    name: str
    session: str
    cookie_name: str = "sessionid"

    @property
    def cookie(self) -> str:
        return f"{self.cookie_name}={self.session}"


# The game of a match of which it does not matter: one in which both choose in secret first.
USUAL: Final = "tetronogo"


class Desk:
    """Each method asks for one of the functions below."""

    def __init__(self, site: Operated) -> None:
        self.hand = site.hand

    def _ask(self, what: str, **arguments: Any) -> Any:
        return self.hand.call(f"{__name__}:{what}", **arguments)

    def person(self, *, name: str = "", role: str = "", email: str = "") -> Person:
        """Somebody new (or who has this ``name`` already), signed in; an ``email`` is confirmed
        already."""
        return Person(**self._ask("person", name=name, role=role, email=email))

    def match(
        self,
        *players: Person,
        ruleset: str = USUAL,
        referees: Sequence[Person] = (),
        late_s: int = 0,
        waits: bool = False,
        **options: Any,
    ) -> int:
        """A match that begins now, or ``waits`` for its players; the advantage is seat 0's."""
        number: int = self._ask(
            "match",
            players=[player.pk for player in players],
            ruleset=ruleset,
            referees=[referee.pk for referee in referees],
            late_s=late_s,
            waits=waits,
            options=options,
        )
        return number

    def challenge(self, challenger: Person, opponent: Person, ruleset: str = USUAL) -> int:
        """One player challenges another."""
        number: int = self._ask(
            "challenge", challenger=challenger.pk, opponent=opponent.pk, ruleset=ruleset
        )
        return number

    def accept(self, challenge: int, person: Person) -> int:
        """The match of a challenge that is accepted."""
        number: int = self._ask("accept", challenge=challenge, user=person.pk)
        return number

    def become_bot(self, person: Person) -> None:
        """From now on a program plays with this account."""
        self._ask("become_bot", user=person.pk)

    def play(self, match: int) -> None:
        """Both answer, by chance, until there is enough of the match that it counts for ratings,
        however it ends."""
        self._ask("play", match=match)

    def concede(self, match: int) -> None:
        """The first seat gives up."""
        self._ask("concede", match=match)

    def match_of(self, challenge: int) -> int | None:
        """The match that a challenge has led to, if it was accepted."""
        number: int | None = self._ask("match_of", challenge=challenge)
        return number

    def is_over(self, match: int) -> bool:
        """Whether a match has a result."""
        over: bool = self._ask("is_over", match=match)
        return over

    def seat(self, match: int, seat: int) -> Person:
        """Who plays there, signed in."""
        return Person(**self._ask("seated", match=match, seat=seat))

    def rows(self, match: int) -> Any:
        """Everything that is stored of a match, but for when a worker looks next, whether its end
        is yet to be followed up, and what that says of ratings."""
        return self._ask("rows", match=match)

    def record(self, match: int) -> Any:
        """What the checker says of its record."""
        return self._ask("record", match=match)

    def close_account(self, person: Person) -> None:
        """As a moderator does."""
        self._ask("close_account", user=person.pk)

    def suspend(self, person: Person, *, seconds: float) -> None:
        """As a moderator does."""
        self._ask("suspend", user=person.pk, seconds=seconds)

    def token(self, person: Person, *scopes: str, seconds: float = 3600) -> tuple[int, str]:
        """A token of theirs: its id and its text."""
        made: list[Any] = self._ask("token", user=person.pk, scopes=list(scopes), seconds=seconds)
        return made[0], made[1]

    def revoke_token(self, token: int) -> None:
        """Its owner revokes a token."""
        self._ask("revoke_token", token=token)

    def publish(self, match: int, audience: str, *, frames: int, size: int) -> None:
        """Frames of about ``size`` bytes to one audience."""
        self._ask("publish", match=match, audience=audience, frames=frames, size=size)


# -- on the site ---------------------------------------------------------------------------------


def person(*, name: str, role: str, email: str) -> dict[str, Any]:
    from allauth.account.models import EmailAddress

    from accounts.models import User
    from accounts.roles import Role
    from accounts.services import role_grant

    number = User.objects.count() + 1
    name = name or f"Person-{number}"
    # The demo data, which an earlier test may have put there, has some of these.
    user = User.objects.filter(username=name.lower()).first()
    user = user or User.objects.create_user(name.lower(), display_name=name)
    if role:
        root = User.objects.create_superuser(f"root{number}")
        role_grant(acting_user=root, user=user, role=Role(role))
    if email:
        EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)
    return signed_in(user)


def signed_in(user: Any) -> dict[str, Any]:
    """A `Person` of a user, with a new session."""
    from django.conf import settings

    return {
        "pk": user.pk,
        "name": user.shown_name,
        "session": session_of(user),
        "cookie_name": settings.SESSION_COOKIE_NAME,
    }


def session_of(user: Any) -> str:
    """The key of a new session of a user."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.cached_db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "accounts.signin.backends.NameBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def seated(*, match: int, seat: int) -> dict[str, Any]:
    from games.models import MatchPlayer

    user = MatchPlayer.objects.select_related("user").get(match=match, seat=seat).user
    assert user is not None
    return signed_in(user)


def token(*, user: int, scopes: list[str], seconds: float) -> tuple[int, str]:
    from datetime import timedelta

    from accounts.models import ApiToken, User
    from accounts.tokens.services import token_create

    row, text = token_create(
        acting_user=User.objects.get(pk=user),
        name="test",
        scopes=scopes,
        lasts=timedelta(hours=1),
    )
    until = row.created_at + timedelta(seconds=seconds)
    ApiToken.objects.filter(pk=row.pk).update(expires_at=until)
    return row.pk, text


def revoke_token(*, token: int) -> None:
    from accounts.models import ApiToken
    from accounts.tokens.services import token_revoke

    row = ApiToken.objects.get(pk=token)
    token_revoke(acting_user=row.user, token=row)


def become_bot(*, user: int) -> None:
    from accounts.models import User
    from accounts.tokens.services import user_become_bot

    user_become_bot(acting_user=User.objects.get(pk=user))


def match(
    *,
    players: list[int],
    ruleset: str,
    referees: list[int],
    late_s: int,
    waits: bool,
    options: dict[str, Any],
) -> int:
    from accounts.models import User
    from games.rulesets import REGISTRY
    from games.services.matches import match_start

    first, second = (User.objects.get(pk=pk) for pk in players)
    started = match_start(
        acting_user=first,
        players=(first, second),
        ruleset_id=ruleset,
        variant=REGISTRY.get(ruleset).variants[0].id,
        options=options,
        advantage=0,
        referees=list(User.objects.filter(pk__in=referees)),
        late_s=late_s,
        waits=waits,
    )
    return int(started.pk)


def challenge(*, challenger: int, opponent: int, ruleset: str) -> int:
    from accounts.models import User
    from games.rulesets import REGISTRY
    from games.services.challenges import challenge_create

    made = challenge_create(
        acting_user=User.objects.get(pk=challenger),
        opponent=User.objects.get(pk=opponent),
        ruleset_id=ruleset,
        variant=REGISTRY.get(ruleset).variants[0].id,
    )
    return int(made.pk)


def accept(*, challenge: int, user: int) -> int:
    from accounts.models import User
    from games.models import Challenge
    from games.services.challenges import challenge_accept

    match = challenge_accept(
        acting_user=User.objects.get(pk=user), challenge=Challenge.objects.get(pk=challenge)
    )
    return int(match.pk)


def play(*, match: int) -> None:
    import random

    from games import store

    seats: tuple[Literal[0], Literal[1]] = (0, 1)
    held = store.read(match)
    for _turn in range(held.ruleset.least_answers):
        table = held.live.table
        seat = next(seat for seat in seats if table.open[seat] and not table.holds_back(seat))
        opened = table.open[seat]
        assert opened is not None
        move = held.ruleset.sample(table.state, opened.decision, random.Random(held.seq).random)
        submit(match, seat, held.ruleset.print(move))
        held = store.read(match)


def concede(*, match: int) -> None:
    submit(match, 0, "concede")


def submit(match: int, seat: Literal[0, 1], text: str) -> None:
    """As whoever sits there."""
    from core.clock import now_ms
    from games.models import MatchPlayer
    from games.reading.matches import versions_of
    from games.services.turns import match_submit

    user = MatchPlayer.objects.select_related("user").get(match=match, seat=seat).user
    assert user is not None
    version = versions_of(match)[seat]
    match_submit(
        match_id=match, seat=seat, acting_user=user, client_id=f"at-{version}", text=text,
        version=version, at=now_ms(), clock=now_ms,
    )  # fmt: skip


def match_of(*, challenge: int) -> int | None:
    from games.models import Challenge

    number: int | None = Challenge.objects.values_list("match", flat=True).get(pk=challenge)
    return number


def is_over(*, match: int) -> bool:
    from games.models import Match

    return Match.objects.only("status").get(pk=match).is_over


def rows(*, match: int) -> dict[str, Any]:
    from games.models import ChatMessage, Match, MatchEntry

    row: dict[str, Any] = dict(Match.objects.filter(pk=match).values().get())
    del row["wake_at"], row["sweep_at"], row["aftermath_due"], row["unrated"]
    return {
        "match": row,
        "entries": list(MatchEntry.objects.filter(match=match).order_by("seq").values()),
        "chat": list(ChatMessage.objects.filter(match=match).order_by("pk").values()),
    }


def record(*, match: int) -> Any:
    from games.engine import records
    from games.models import Match
    from games.reading.records import record_bytes
    from games.rulesets import REGISTRY

    return records.check(REGISTRY, record_bytes(Match.objects.get(pk=match)))


def close_account(*, user: int) -> None:
    from accounts.models import User
    from accounts.services import user_close

    root = User.objects.create_superuser(f"root-{user}-c")
    user_close(acting_user=root, user=User.objects.get(pk=user), reason="test")


def suspend(*, user: int, seconds: float) -> None:
    from datetime import timedelta

    from django.utils import timezone

    from accounts.models import User
    from accounts.moderation.sanctions import user_suspend

    root = User.objects.create_superuser(f"root-{user}-s")
    user_suspend(
        acting_user=root,
        user=User.objects.get(pk=user),
        reason="test",
        until=timezone.now() + timedelta(seconds=seconds),
    )


def publish(*, match: int, audience: str, frames: int, size: int) -> None:
    from games.publishing.publish import Frame
    from games.publishing.publish import publish as send

    text = json.dumps({"type": "filler", "text": "x" * size})
    send([Frame(f"match.{match}.{audience}", text)] * frames)
