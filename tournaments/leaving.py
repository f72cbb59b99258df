"""What becomes of seasons when somebody has their account deleted; see `accounts.leaving.parts`."""

from __future__ import annotations

import json
from collections.abc import Collection

from django.db.models import F, Q

from accounts.leaving.names import Names
from accounts.leaving.parts import Leaver
from accounts.models import AuditEntry, User
from accounts.names.validators import FORMER_NAME
from core.appendonly import names_erased
from core.clock import now_utc
from core.discord.text import escaped
from core.refusals import Refusal
from tournaments.lifecycle import SEASON_OVER, STILL_IN
from tournaments.models import (
    Contestant,
    FreeHours,
    ItemEvent,
    OrganiserInvitation,
    ReminderSent,
    Season,
    SeasonApplication,
    SeasonEvent,
    SeasonFollow,
    SeasonOrganiser,
)
from tournaments.posts.outbox import posts_rewrite
from tournaments.rights import Role
from tournaments.webhooks.models import Delivery


def must_not_be_needed(user: User) -> None:
    """Raises Refusal ``deletion.in-season`` and ``deletion.owns-season``."""
    on = Season.objects.exclude(status__in=SEASON_OVER)
    playing = on.filter(contestants__user=user, contestants__status__in=STILL_IN).first()
    if playing is not None:
        sentence = f"You play in {playing.name}, which is not over. Leave it first."
        raise Refusal("deletion.in-season", sentence)
    owned = on.filter(organisers__user=user, organisers__role=Role.OWNER).first()
    if owned is not None:
        sentence = f"{owned.name} is yours, and not over. Hand it to somebody else first."
        raise Refusal("deletion.owns-season", sentence)


def names_written(user: User) -> set[str]:
    """What somebody is called in seasons."""
    own = Contestant.objects.filter(user=user)
    asked = SeasonApplication.objects.filter(user=user).exclude(name="")
    return {*own.values_list("name", flat=True), *asked.values_list("name", flat=True)}


def seasons_erase(leaver: Leaver) -> None:
    """Delete what nobody else has a part in, and call them a former player in the rest."""
    user, seasons = leaver.user, _seasons_of(leaver.user)
    for season_id in sorted(seasons):
        _season_erase(season_id, leaver)
    Contestant.objects.filter(user=user).update(name=FORMER_NAME)
    for model in (FreeHours, OrganiserInvitation, ReminderSent, SeasonApplication, SeasonFollow):
        model.objects.filter(user=user).delete()
    SeasonOrganiser.objects.filter(user=user).exclude(role=Role.OWNER).delete()
    # Whoever keeps what is shown of them asks anew.
    Season.objects.filter(pk__in=seasons).update(changed_at=now_utc(), revision=F("revision") + 1)


def _seasons_of(user: User) -> set[int]:
    """Those in which something may have been written down of somebody."""
    acted = AuditEntry.objects.filter(who=user, target_type=Season._meta.label_lower)
    numbers = {int(key) for key in acted.values_list("target_id", flat=True).distinct()}
    found = {
        *Contestant.objects.filter(user=user).values_list("season", flat=True),
        *SeasonApplication.objects.filter(user=user).values_list("season", flat=True),
        *SeasonOrganiser.objects.filter(user=user).values_list("season", flat=True),
        *OrganiserInvitation.objects.filter(user=user).values_list("season", flat=True),
        *Season.objects.filter(created_by=user).values_list("pk", flat=True),
    }
    return found | set(Season.objects.filter(pk__in=numbers).values_list("pk", flat=True))


def _season_erase(season_id: int, leaver: Leaver) -> None:
    own = set(
        Contestant.objects.filter(season=season_id, user=leaver.user).values_list("pk", flat=True)
    )
    others = Contestant.objects.filter(season=season_id).exclude(pk__in=own)
    alike = others.filter(name__in=leaver.names.all).exists()
    events = SeasonEvent.objects.filter(season=season_id)
    history = ItemEvent.objects.filter(gift__season=season_id)
    if alike:
        # Somebody else is called so: only what is about this one is changed.
        events = events.filter(_about(own) | Q(data__by__in=list(leaver.names.all)))
        history = history.filter(Q(gift__giver__in=own) | Q(gift__receiver__in=own))
    with names_erased():
        for event in events:
            words, data = _without(leaver.names, event)
            if (words, data) != (event.words, event.data):
                SeasonEvent.objects.filter(pk=event.pk).update(words=words, data=data)
        for item in history:
            if (words := leaver.names.out_of(item.words)) != item.words:
                ItemEvent.objects.filter(pk=item.pk).update(words=words)
    _copies_erase(leaver.names, season_id, [event.pk for event in events] if alike else None)


def _about(contestants: set[int]) -> Q:
    return (
        Q(contestant__in=contestants)
        | Q(death_match__home__in=contestants)
        | Q(death_match__away__in=contestants)
    )


def _without(names: Names, event: SeasonEvent) -> tuple[str, object]:
    return names.out_of(event.words)[:500], names.out_of_data(event.data)


def _as_sent(names: Names) -> Names:
    """The same as it stands in what is sent: in JSON, and for Discord, whose signs are escaped."""
    spelt = {
        json.dumps(one, ensure_ascii=plainly)[1:-1]
        for name in names.all | {names.username}
        for one in (name, escaped(name))
        for plainly in (True, False)
    }
    return Names(names.username, names.all | spelt, becomes=names.becomes)


def _copies_erase(names: Names, season_id: int, events: Collection[int] | None) -> None:
    """What was sent of a season is kept for a while beside what it was sent of."""
    sent = Delivery.objects.filter(webhook__season=season_id)
    if events is not None:
        sent = sent.filter(event__in=events)
    names = _as_sent(names)
    for delivery in sent:
        body, data = names.out_of(delivery.body), names.out_of_data(delivery.data)
        if (body, data) != (delivery.body, delivery.data):
            Delivery.objects.filter(pk=delivery.pk).update(body=body, data=data)
    posts_rewrite(season_id=season_id, rewritten=names.out_of, events=events)
