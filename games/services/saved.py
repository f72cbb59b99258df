"""Moves that people keep for themselves, to play them again: favourite decks, for instance.

Which moves are worth keeping is for the boards to say. A match knows nothing of them, and nobody
but their owner ever sees them, staff in the audit log included.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from accounts.services import audit_record
from core.clock import now_utc
from core.refusals import NotFound, Refusal, Together
from core.text import one_line
from games.engine import notation
from games.engine.ruleset import Ruleset
from games.models import SavedMove
from games.rulesets import REGISTRY

NAME_MAX = 40
MOST = 30  # of one person for one ruleset


@transaction.atomic
def saved_move_save(*, acting_user: User, ruleset: str, name: str, text: str) -> SavedMove:
    """Keep a move under a name, in place of the one that had this name before.

    Raises Refusal ``setup.ruleset``, ``notation.*`` for a text that is no move of the ruleset,
    ``saved.name-empty``, ``saved.name-too-long``, ``saved.too-many``.
    """
    rules = REGISTRY.get(ruleset)
    faults = Together()
    with faults.of():
        called = name_of(name)
    with faults.of():
        canonical = move_text(rules, text)
    faults.settle()
    # One save at a time for each person, so that the limit holds.
    User.objects.select_for_update(no_key=True).get(pk=acting_user.pk)
    own = SavedMove.objects.filter(user=acting_user, ruleset=ruleset)
    if own.count() >= MOST and not own.filter(name=called).exists():
        raise Refusal("saved.too-many", f"You can keep {MOST}; delete one first.")
    saved, _ = SavedMove.objects.update_or_create(
        user=acting_user,
        ruleset=ruleset,
        name=called,
        defaults={"text": canonical, "saved_at": now_utc()},
    )
    audit_record(
        acting_user=acting_user, action="saved_move.save", target=saved, data={"ruleset": ruleset}
    )
    return saved


def name_of(name: str) -> str:
    """What a move is kept under. Raises Refusal ``saved.name-empty``, ``saved.name-too-long``."""
    called = one_line(name)
    if not called:
        raise Refusal("saved.name-empty", "Give it a name.")
    if len(called) > NAME_MAX:
        raise Refusal("saved.name-too-long", f"A name has at most {NAME_MAX} characters.")
    return called


def move_text(rules: Ruleset[Any, Any], text: str) -> str:
    """A move of the ruleset as records write it. Raises Refusal ``notation.*``."""
    return rules.print(rules.parse(notation.tidy(text)))


@transaction.atomic
def saved_move_delete(*, acting_user: User, ruleset: str, saved_move_id: int) -> None:
    """Forget a move that was kept. Raises Refusal ``saved.none``, also for somebody else's."""
    saved = (
        SavedMove.objects.select_for_update(no_key=True)
        .filter(user=acting_user, ruleset=ruleset, pk=saved_move_id)
        .first()
    )
    if saved is None:
        raise NotFound("saved.none", "There is nothing of yours to delete there.")
    audit_record(
        acting_user=acting_user, action="saved_move.delete", target=saved, data={"ruleset": ruleset}
    )
    saved.delete()


def saved_moves_of(*, user: User, ruleset: str) -> list[SavedMove]:
    """What somebody keeps for a ruleset, by name. Raises Refusal ``setup.ruleset``."""
    REGISTRY.get(ruleset)
    return list(SavedMove.objects.filter(user=user, ruleset=ruleset).order_by("name"))
