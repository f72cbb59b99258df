"""What becomes of matches when somebody has their account deleted; see `accounts.leaving.parts`."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q

from accounts.leaving.parts import Leaver
from accounts.models import AuditEntry, User
from accounts.names.validators import FORMER_NAME
from core.appendonly import names_erase
from core.refusals import Refusal
from games.models import (
    Challenge,
    HostedMatch,
    HouseBot,
    Match,
    MatchEntry,
    MatchPlayer,
    MatchReferee,
    Plan,
    Preparation,
    SavedMove,
    Seek,
)
from games.puzzles.models import PuzzleAnswer, PuzzleSolver
from games.ratings.keys import ladder_changed
from games.ratings.models import OVERALL, Rating
from games.ratings.pairs import pairs_erase
from games.ratings.winners import winners_erase
from games.reading.replays import replays_forget


def must_not_play(user: User) -> None:
    """Raises Refusal ``deletion.playing`` and ``deletion.house-bot``."""
    if HouseBot.objects.filter(user=user).exists():
        raise Refusal("deletion.house-bot", "One of the site's own bots plays with this account.")
    concerned = Q(players__user=user) | Q(referees__user=user)
    match = Match.objects.running().filter(concerned).only("pk").order_by("pk").first()
    if match is not None:
        sentence = f"You are in match {match.pk}, which is on. Come back when it is over."
        raise Refusal("deletion.playing", sentence)


def names_written(user: User) -> set[str]:
    """What somebody is called in matches."""
    seats = MatchPlayer.objects.filter(user=user).values_list("name", flat=True)
    acts = MatchEntry.objects.filter(by=user).exclude(by_name="")
    return {*seats, *acts.order_by().values_list("by_name", flat=True).distinct()}


def matches_erase(leaver: Leaver) -> None:
    """Delete what nobody else has a part in, and call them a former player in the rest."""
    user = leaver.user
    _entries_erase(leaver)
    MatchPlayer.objects.filter(user=user).update(name=FORMER_NAME, missed_end=False)
    for model in (Plan, SavedMove, Seek, PuzzleAnswer, PuzzleSolver):
        model.objects.filter(user=user).delete()
    Challenge.objects.filter(challenger=user).update(message="")
    HostedMatch.objects.filter(host=user).update(message="")
    _preparations_forget(user)
    pairs_erase(leaver)
    winners_erase(leaver)
    _boards_make_anew(user)


def _entries_erase(leaver: Leaver) -> None:
    """Where they acted as an organiser, or supplied what chance was to decide, it says who did."""
    user = leaver.user
    acted = AuditEntry.objects.filter(who=user, target_type=Match._meta.label_lower)
    numbers = {int(key) for key in acted.values_list("target_id", flat=True).distinct()}
    # By what leads to few rows each: together the database would look at every entry there is.
    matches = {
        *numbers,
        *MatchPlayer.objects.filter(user=user).values_list("match", flat=True),
        *Match.objects.filter(referees__user=user).values_list("pk", flat=True),
        *HostedMatch.objects.filter(host=user, match__isnull=False).values_list("match", flat=True),
    }
    named = [*leaver.names.all, leaver.names.username]
    own = MatchEntry.objects.filter(by=user).exclude(by_name="")
    # What is drawn has no account: where another of the match is called so, it may be theirs.
    supplied = MatchEntry.objects.filter(
        match__in=matches - _with_another(matches, leaver),
        actor=MatchEntry.Actor.CHANCE,
        by__isnull=True,
        by_name__in=named,
    )
    acted_in = set[int]()
    for entries in (own, supplied):
        erased = []
        for entry in entries.iterator():
            erased.append(_without_name(entry))
            acted_in.add(entry.match_id)
        names_erase(account=user.pk, table=MatchEntry._meta.db_table, rows=erased)
    transaction.on_commit(partial(replays_forget, acted_in), robust=True)


def _with_another(matches: Collection[int], leaver: Leaver) -> set[int]:
    """Those of these matches in which somebody else has their name."""
    named = [*leaver.names.all, leaver.names.username]
    called = Q(display_name__in=named) | Q(username__in=named, display_name="")
    others = User.objects.filter(called).exclude(pk=leaver.user.pk)
    return {
        *MatchReferee.objects.filter(match__in=matches, user__in=others)
        .values_list("match", flat=True),
        *HostedMatch.objects.filter(match__in=matches, host__in=others)
        .values_list("match", flat=True),
        *MatchPlayer.objects.filter(match__in=matches, name__in=named)
        .exclude(user=leaver.user).values_list("match", flat=True),
    }  # fmt: skip


def _without_name(entry: MatchEntry) -> dict[str, Any]:
    """The name stands in the entry, in the data of what it told and, of what was supplied, at the
    end of that: reasons are their own words, and all else is the game's."""
    name = entry.by_name
    for event in entry.events:
        data = event.get("data")
        if isinstance(data, dict) and data.get("by") == name:
            data["by"] = FORMER_NAME
            if event.get("kind") == "supplied" and event["text"].endswith(f" {name}."):
                event["text"] = event["text"].removesuffix(f"{name}.") + f"{FORMER_NAME}."
    return {"id": entry.pk, "by_name": FORMER_NAME, "events": entry.events}


def _boards_make_anew(user: User) -> None:
    """What is kept of leaderboards names people; those of seasons are kept with the overall one."""
    own = set(Rating.objects.filter(user=user).values_list("ladder", flat=True))
    for ladder in own | {OVERALL}:
        transaction.on_commit(partial(ladder_changed, ladder), robust=True)


def _preparations_forget(user: User) -> None:
    """Those that a match was made with stay with it, without their names."""
    own = Preparation.objects.filter(owner=user)
    used = {
        *Challenge.objects.filter(preparation__in=own).values_list("preparation", flat=True),
        *HostedMatch.objects.filter(preparation__in=own).values_list("preparation", flat=True),
    }
    own.exclude(pk__in=used).delete()
    for each in own:
        Preparation.objects.filter(pk=each.pk).update(name=f"no. {each.pk}")
