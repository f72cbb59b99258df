"""Something to look at on a fresh site: people, matches and challenges, made by the services that
users use."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db import transaction

from accounts.models import User
from accounts.roles import Role, holds_role
from accounts.services import audit_record, role_grant, user_register
from core.clock import now_ms
from core.refusals import Refusal
from games import store
from games.engine.errors import EngineFault
from games.engine.ruleset import Ruleset
from games.models import Challenge, Match
from games.options import pace
from games.ratings.services import ratings_rebuild
from games.rulesets import REGISTRY
from games.services.challenges import challenge_create
from games.services.matches import match_start
from games.services.turns import match_submit

SEED = 20_080_506
MOVES_AT_MOST = 400
HOUR_MS = 3_600_000


# What other apps have to show, made after everything else; see `register_demo`.
Part = Callable[[Mapping[str, User]], None]
_parts: list[Part] = []


def register_demo(part: Part) -> None:
    """Have ``part(users by name)`` make its share of the demo, as far as it is missing.
    Registering it again changes nothing."""
    if part not in _parts:
        _parts.append(part)


class Person(NamedTuple):
    """Somebody of the demo."""

    username: str
    name: str
    what: str
    role: Role | None = None


PEOPLE = (
    Person("ada", "Ada", "player"),
    Person("ben", "Ben", "player"),
    Person("olga", "Olga", "organiser", Role.ORGANISER),
    Person("max", "Max", "moderator", Role.MODERATOR),
)
KEEPER = Person("keeper", "Keeper", "administrator")


class DemoAccount(NamedTuple):
    """A demo account and its password; empty where it was there before, with one of its own."""

    person: Person
    password: str


@transaction.atomic
def demo_create(*, password: str | None = None) -> list[DemoAccount]:
    """Make whatever of the demo is missing, and return its accounts.

    ``password`` is given to every account that is made now; None draws one for each. Called again
    it changes nothing: what is there, is left as people have made it.
    """
    accounts = [_account(KEEPER, password), *(_account(each, password) for each in PEOPLE)]
    users = {user.username: user for user in User.objects.filter(username__in=_names())}
    for person in PEOPLE:
        if person.role is not None and not holds_role(users[person.username], person.role):
            # In nobody's name: where a second factor is required, Keeper has none yet.
            role_grant(acting_user=None, user=users[person.username], role=person.role)
    ada, ben = users["ada"], users["ben"]
    for number, ruleset in enumerate(REGISTRY):
        _make_finished_match(
            ruleset, (ada, ben) if number % 2 else (ben, ada), hours_ago=3 + number
        )
    ratings_rebuild()
    _make_running_match((ada, ben))
    _make_challenges(users)
    for part in _parts:
        part(users)
    return accounts


@transaction.atomic
def demo_passwords_withdraw(*, known: str) -> dict[str, str]:
    """Give every demo account that has the password ``known`` to everybody one drawn at random, and
    return these by username. Whoever came in by the old one is out."""
    drawn = {}
    for user in (
        User.objects.select_for_update(no_key=True).filter(username__in=_names()).order_by("pk")
    ):
        if user.check_password(known):
            drawn[user.username] = secrets.token_urlsafe(12)
            user.set_password(drawn[user.username])
            user.save(update_fields=["password"])
            audit_record(acting_user=None, action="user.set_password", target=user)
    return drawn


def _names() -> list[str]:
    return [person.username for person in (KEEPER, *PEOPLE)]


def _account(person: Person, password: str | None) -> DemoAccount:
    there = User.objects.filter(username=person.username).first()
    if there is not None:
        kept = password is not None and there.check_password(password)
        return DemoAccount(person, password or "" if kept else "")
    chosen = secrets.token_urlsafe(9) if password is None else password
    email = f"{person.username}@demo.example"
    if person is KEEPER:
        # There is nobody yet who could make an administrator: this is how one begins.
        get_user_model().objects.create_superuser(
            person.username, email=email, password=chosen, display_name=person.name
        )
    else:
        try:
            _register(person, email, chosen, display_name=person.name)
        except Refusal as refusal:
            if refusal.code != "display-name.impersonates":
                raise
            # Somebody who runs the site has this name.
            _register(person, email, chosen)
    _confirm_address(person, email)
    return DemoAccount(person, chosen)


def _register(person: Person, email: str, password: str, **more: str) -> None:
    with transaction.atomic():
        user_register(username=person.username, email=email, password=password, **more)


def _confirm_address(person: Person, email: str) -> None:
    """Nobody reads mail there, and without a confirmed address nobody sets up a second factor."""
    if not EmailAddress.objects.filter(email__iexact=email, verified=True).exists():
        user = User.objects.get(username=person.username)
        EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)


# -- matches -------------------------------------------------------------------------------------


def _make_finished_match(
    ruleset: Ruleset[Any, Any], players: tuple[User, User], *, hours_ago: int
) -> None:
    there = Match.objects.of_user(players[0]).finished().filter(ruleset=ruleset.id)
    if there.exists():
        return
    began = now_ms() - hours_ago * HOUR_MS
    match = match_start(
        acting_user=players[0],
        players=players,
        ruleset_id=ruleset.id,
        variant=ruleset.variants[0].id,
        at=began,
    )
    ended = _play_at_random(match, players, began=began, moves=MOVES_AT_MOST, longest_s=25)
    if ended is not None:
        _submit(match, players, 0, "concede", at=ended)


def _make_running_match(players: tuple[User, User]) -> None:
    if Match.objects.of_user(players[0]).of_user(players[1]).running().exists():
        return
    ruleset = next(iter(REGISTRY))
    slow = next(each for each in pace.PACES if each.id == "slow")
    began = now_ms() - 20 * HOUR_MS
    match = match_start(
        acting_user=players[0],
        players=players,
        ruleset_id=ruleset.id,
        variant=ruleset.variants[0].id,
        options=pace.options_at(ruleset, slow),
        at=began,
    )
    _play_at_random(match, players, began=began, moves=9, longest_s=2 * 3600)


def _play_at_random(
    match: Match, players: tuple[User, User], *, began: int, moves: int, longest_s: int
) -> int | None:
    """Have both seats play at random, at most so many moves; the instant reached, or None once
    the match is over."""
    generator = random.Random(f"{SEED} {match.ruleset}")  # noqa: S311  (a demo, not a draw)
    at = began
    for _ in range(moves):
        held = store.read(match.pk)
        if held.is_over:
            return None
        seat = next(seat for seat in (0, 1) if held.live.table.open[seat] is not None)
        slot = held.live.table.open[seat]
        if slot is None:
            raise EngineFault("a running match waits for nobody")
        move = held.ruleset.sample(held.live.table.state, slot.decision, generator.random)
        at += 1000 + int(generator.random() * longest_s * 1000)
        _submit(match, players, seat, held.ruleset.print(move), at=at)
    return None if store.read(match.pk).is_over else at


def _submit(match: Match, players: tuple[User, User], seat: int, text: str, *, at: int) -> None:
    held = store.read(match.pk)
    match_submit(
        match_id=match.pk,
        seat=seat,
        acting_user=players[seat],
        client_id=f"demo-{held.seq}",
        text=text,
        version=held.readers.versions[seat],
        at=at,
    )


# -- challenges ----------------------------------------------------------------------------------


def _make_challenges(users: Mapping[str, User]) -> None:
    rulesets = list(REGISTRY)
    _make_challenge(users["ben"], None, rulesets[0], "First time here. Be gentle.")
    _make_challenge(users["olga"], users["ada"], rulesets[-1], "A friendly before the season?")


def _make_challenge(
    challenger: User, opponent: User | None, ruleset: Ruleset[Any, Any], message: str
) -> None:
    there = Challenge.objects.filter(
        challenger=challenger, opponent=opponent, status=Challenge.Status.OPEN
    )
    if not there.exists():
        challenge_create(
            acting_user=challenger,
            opponent=opponent,
            ruleset_id=ruleset.id,
            variant=ruleset.variants[0].id,
            message=message,
            # Nobody sits there to begin at once.
            options=pace.options_at(ruleset, next(p for p in pace.PACES if p.id == "slow")),
            lasts=timedelta(days=30),
        )
