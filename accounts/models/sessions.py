"""Where somebody is signed in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.db.models import Exists, F, OuterRef, Q

from core.clock import now_utc


def _store(key: str) -> Any:
    return import_module(settings.SESSION_ENGINE).SessionStore(key)


class UserSessionQuerySet(models.QuerySet["UserSession"]):
    """Sessions, whose they are, and whether they are still there."""

    def visible_to(self, user: Any) -> UserSessionQuerySet:
        """A person's own."""
        return self.filter(user=user.pk) if user.is_authenticated else self.none()

    def live(self) -> UserSessionQuerySet:
        """Those that have neither run out nor been ended."""
        there = Session.objects.filter(session_key=OuterRef("session_key"))
        return self.filter(Exists(there.filter(expire_date__gt=now_utc())))

    def end(self) -> int:
        """End these; returns how many. Call it inside a transaction: where the cache, which has
        them too, cannot be told, nothing is ended."""
        keys = list(self.values_list("session_key", flat=True))
        _forget(keys)
        self.model.objects.filter(session_key__in=keys).delete()
        # Whoever has read one meanwhile has put it into the cache again.
        transaction.on_commit(partial(_forget, keys), robust=True)
        return len(keys)

    def stay_open(self, session_hash: str) -> None:
        """Have these go on after their owner's password was changed, for no longer than they would
        have: ``session_hash`` is the one that it has now. Call it inside a transaction. Where
        somebody signs out meanwhile, it stays at that."""
        keys = self.live().values_list("session_key", flat=True)
        rows = Session.objects.filter(session_key__in=list(keys)).order_by("session_key")
        for row in rows.select_for_update(no_key=True):
            store = _store(row.session_key)
            held = {**store.decode(row.session_data), HASH_SESSION_KEY: session_hash}
            row.session_data = store.encode(held)
            row.save(update_fields=["session_data"])
            # Not before: whoever reads it now would find the new password nowhere yet.
            transaction.on_commit(store.read_anew, robust=True)


def _forget(keys: Iterable[str]) -> None:
    for key in keys:
        _store(key).delete()


class UserSession(models.Model):
    """One browser in which somebody is signed in.

    Of the browser a few words are kept, and of its address the network alone: enough to tell one's
    own from a stranger's. It goes when the session does.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sessions"
    )
    session_key = models.CharField(max_length=40, unique=True, help_text="The session's own key.")
    device = models.CharField(
        "device", max_length=60, blank=True, help_text="Browser and system, in words."
    )
    network = models.CharField(
        "network", max_length=45, blank=True, help_text="The address, without its last part."
    )
    signed_in_at = models.DateTimeField(default=now_utc)
    last_used_at = models.DateTimeField(
        default=now_utc, help_text="To the quarter of an hour: not every use is written down."
    )

    objects = UserSessionQuerySet.as_manager()

    class Meta:
        verbose_name = "session"
        ordering = ["-last_used_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(session_key=""), name="session_keyed"),
            models.CheckConstraint(
                condition=Q(last_used_at__gte=F("signed_in_at")), name="session_used_later"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}/{self.device}"
