"""What becomes of seasons when somebody has their account deleted; see `accounts.leaving.parts`."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from accounts.leaving.names import texts_changed
from accounts.leaving.parts import Leaver
from accounts.models import AuditEntry, User
from accounts.names.validators import FORMER_NAME
from core.appendonly import names_erase
from core.clock import now_utc
from core.refusals import Refusal
from tournaments.former import Former
from tournaments.lifecycle import SEASON_OVER, STILL_IN
from tournaments.models import (
    Contestant,
    FreeHours,
    ItemEvent,
    Leg,
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
from tournaments.webhooks.models import Delivery, Webhook


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
    former = Former(leaver, season_id)
    # As long as events say whom they are about.
    _copies_erase(former, season_id)
    account = leaver.user.pk
    events = [
        {"id": event.pk, "words": words, "data": data}
        for event in SeasonEvent.objects.filter(season=season_id)
        if (words := former.words(event), data := former.data(event)) != (event.words, event.data)
    ]
    names_erase(account=account, table=SeasonEvent._meta.db_table, rows=events)
    lines = [
        {"id": line.pk, "words": words}
        for line in _history(former, season_id)
        if (words := former.line(line)) != line.words
    ]
    names_erase(account=account, table=ItemEvent._meta.db_table, rows=lines)
    for leg in Leg.objects.filter(death_match__in=former.met, items__isnull=False):
        items = texts_changed(leg.items, ("words",), former.names.out_of)
        if items != leg.items:
            Leg.objects.filter(pk=leg.pk).update(items=items)


def _history(former: Former, season_id: int) -> QuerySet[ItemEvent]:
    """Lines about items of theirs, or in their death matches."""
    lines = ItemEvent.objects.filter(gift__season=season_id)
    found: QuerySet[ItemEvent] = lines.filter(
        Q(gift__in=former.gifts) | Q(other__in=former.gifts) | Q(leg__death_match__in=former.met)
    )
    return found


def _copies_erase(former: Former, season_id: int) -> None:
    """What was sent of a season is kept for a while beside what it was sent of."""
    sent = Delivery.objects.filter(webhook__season=season_id).select_related("event", "webhook")
    for delivery in sent:
        is_discord = delivery.webhook.flavour == Webhook.Flavour.DISCORD
        rewritten = former.message if is_discord else former.payload
        # Of an event it is the event's, whichever match it comes with.
        body = rewritten(delivery.body, delivery.event, delivery.match_id)
        if body != delivery.body:
            Delivery.objects.filter(pk=delivery.pk).update(body=body)
    posts_rewrite(
        season_id=season_id,
        rewritten=lambda post: former.message(post.body, post.event, post.match_id),
    )
