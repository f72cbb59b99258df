"""Which accounts are come into by the same way: the same browser, network address, Discord account
or mail address. For moderators alone, and for what finds results that were farmed.

What a way was is not kept, only a digest of it that is keyed with the site's secret, and that for
`KEPT_FOR`. It is written where somebody signs in, and once a day while they stay signed in
(`accounts.signin.ways`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Final, NamedTuple

from django.db.models import Q
from django.utils.crypto import salted_hmac

from accounts.models import User, WayIn
from accounts.roles import is_moderator
from core.addresses import address_in, network_of
from core.clock import now_utc
from core.jobs.pruning import rows_prune

KEPT_FOR: Final = timedelta(days=90)
# A household, a school, a whole provider can share one; of the others, that is no coincidence.
WEAK: Final = frozenset({WayIn.Kind.ADDRESS.value})
# Where dots in the name of an address mean nothing.
_DOTLESS: Final = frozenset({"gmail.com", "googlemail.com"})


def digest_of(kind: str, what: str) -> str:
    """What is kept of a way. Without the site's secret nobody can tell what it was, not even by
    trying all network addresses."""
    return salted_hmac("accounts.ways-in", f"{kind}:{what}", algorithm="sha256").hexdigest()


def canonical_mail(address: str) -> str:
    """An address of mail as whoever runs its server reads it, as far as is known: in lower case,
    without what follows a plus sign."""
    name, _, host = address.strip().lower().rpartition("@")
    name = name.partition("+")[0]
    if host in _DOTLESS:
        name, host = name.replace(".", ""), "gmail.com"
    return f"{name}@{host}"


def canonical_address(found: str, *, known: bool) -> str | None:
    """A network address, of IPv6 the network of one line; None for what tells nothing of a person.
    ``known``: the site knows what stands before it. Else an address that is not of the internet
    is a proxy that nobody has told of, or this very machine."""
    address = address_in(found)
    if address is None or (not known and not address.is_global):
        return None
    return network_of(found)


def ways_note(*, user_id: int, ways: Iterable[tuple[str, str]], on: date) -> None:
    """Keep that an account was come into by these ways on a day: pairs of a kind and what it
    was. One statement."""
    digests = {(kind, digest_of(kind, what)) for kind, what in ways}
    WayIn.objects.bulk_create(
        [
            WayIn(user_id=user_id, kind=kind, digest=digest, first_on=on, last_on=on)
            for kind, digest in sorted(digests)
        ],
        update_conflicts=True,
        unique_fields=["user", "kind", "digest"],
        update_fields=["last_on"],
    )


def ways_forget() -> int:
    """Delete the ways by which nobody has come for `KEPT_FOR`; returns how many."""
    old = WayIn.objects.filter(last_on__lt=now_utc().date() - KEPT_FOR)
    return rows_prune(old, at_once=1000)


def ways_move(keep: User, duplicate: User) -> int:
    """In a merge: the kept account is come into by the duplicate's ways."""
    own = list(WayIn.objects.filter(user=keep).values_list("kind", "digest"))
    twice = Q(pk__in=[])
    for kind, digest in own:
        twice |= Q(kind=kind, digest=digest)
    theirs = WayIn.objects.filter(user=duplicate)
    theirs.filter(twice).delete()
    return theirs.update(user=keep)


class SharedWay(NamedTuple):
    """That two accounts are come into by the same way of a kind: since both are, and on which day
    the one who has stayed away longer was last."""

    kind: str
    since: date
    last: date

    @property
    def words(self) -> str:
        """What is shared, and when: never what it was."""
        return f"{WayIn.Kind(self.kind).label}: {_days(self.since, self.last)}"


def _days(since: date, last: date) -> str:
    if since >= last:
        return f"on {min(since, last):%d %B %Y}"
    return f"from {since:%d %B %Y} to {last:%d %B %Y}"


def shared_ways(one: int, other: int) -> list[SharedWay]:
    """By which kinds of ways both accounts are come into, each once, in the order of the kinds."""
    theirs = {(way.kind, way.digest): way for way in WayIn.objects.filter(user=other)}
    found: dict[str, SharedWay] = {}
    for way in WayIn.objects.filter(user=one):
        twin = theirs.get((way.kind, way.digest))
        if twin is None:
            continue
        shared = SharedWay(
            way.kind, max(way.first_on, twin.first_on), min(way.last_on, twin.last_on)
        )
        known = found.get(way.kind)
        if known is not None:
            shared = SharedWay(
                way.kind, min(known.since, shared.since), max(known.last, shared.last)
            )
        found[way.kind] = shared
    return [found[kind] for kind in WayIn.Kind.values if kind in found]


def ways_among(users: Iterable[int]) -> list[tuple[str, frozenset[int]]]:
    """The ways by which more than one of these accounts is come into: of each its kind, and by
    whom."""
    found: dict[tuple[str, str], set[int]] = {}
    rows = WayIn.objects.filter(user__in=list(users)).order_by("kind", "digest")
    for kind, digest, user in rows.values_list("kind", "digest", "user"):
        found.setdefault((kind, digest), set()).add(user)
    return [(kind, frozenset(by)) for (kind, _digest), by in found.items() if len(by) > 1]


def sharing_with(*, acting_user: User, user: User) -> Mapping[User, list[str]]:
    """The accounts that are come into by a way of somebody's, and the kinds of these: for a
    moderator's eyes. Nobody else is told anything, and neither is anybody of themselves."""
    if not is_moderator(acting_user) or acting_user.pk == user.pk:
        return {}
    own = Q(pk__in=[])
    for kind, digest in WayIn.objects.filter(user=user).values_list("kind", "digest"):
        own |= Q(kind=kind, digest=digest)
    found: dict[User, set[str]] = {}
    # Who has left is nobody any more, whatever is still kept.
    others = WayIn.objects.filter(own, user__deleted_at__isnull=True)
    others = others.exclude(user__in=[user, acting_user])
    for way in others.select_related("user").order_by("user__username")[:_LISTED_AT_MOST]:
        found.setdefault(way.user, set()).add(way.kind)
    return {
        each: [WayIn.Kind(kind).label for kind in WayIn.Kind.values if kind in kinds]
        for each, kinds in found.items()
    }


_LISTED_AT_MOST: Final = 200
