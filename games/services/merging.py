"""What moves when two accounts turn out to be one person's; see `accounts.moderation.merging`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from accounts.services import users_lock
from core.queueing import enqueue
from core.refusals import Refusal
from games.jobs import REPAIR_RATINGS
from games.models import (
    Challenge,
    ChatMessage,
    HostedMatch,
    Match,
    MatchCommentator,
    MatchPlayer,
    MatchReferee,
    PairRuling,
    Plan,
    Prediction,
    Preparation,
    SavedMove,
)
from games.puzzles.merging import solver_move
from games.services.challenges import challenges_withdraw
from games.services.hosting import hosted_withdraw
from games.services.seeks import seeks_withdraw

# How long names may be: the columns' widths.
SAVED_NAME = 40
PREPARATION_NAME = 60


def referees(user: User) -> bool:
    """Whether somebody is named as the referee of a match, on or over: a merge is then not for
    moderators to make."""
    return MatchReferee.objects.filter(user=user).exists()


def rows_move(keep: User, duplicate: User) -> Mapping[str, int]:
    """Seats, the places of referees and commentators, challenges, hosted matches, chat,
    predictions, plans, saved moves, preparations and answers to puzzles.

    Who submitted an entry stays as it was written. Ratings are derived from the seats, and are
    computed again after commit.

    Raises Refusal ``merge.same-match`` (both sat in one match, or one was to judge the other's or
    to comment on it), ``merge.playing`` (one sits in a match that is on, or is its referee: whoever
    got the seat would get what is secret there; or comments on it).
    """
    _refuse_shared_matches(keep, duplicate)
    _refuse_running_matches(keep, duplicate)
    moved = {
        "match seats": MatchPlayer.objects.filter(user=duplicate).update(user=keep),
        "referees' places": _move_referees(keep, duplicate),
        "commentators' places": _move_commentators(keep, duplicate),
        "challenges": _move_challenges(keep, duplicate),
        "hosted matches": _move_hosted(keep, duplicate),
        "chat messages": _move_chat(keep, duplicate),
        "saved moves": _move_saved(keep, duplicate),
        "preparations": _move_preparations(keep, duplicate),
        "answers to puzzles": solver_move(keep=keep, duplicate=duplicate),
        "rulings on pairs": _move_pair_rulings(keep, duplicate),
    }
    # Not counted: moderators are told the numbers, and nobody is to know who plans or predicts.
    _move_plans(keep, duplicate)
    _move_predictions(keep, duplicate)
    if moved["match seats"]:
        transaction.on_commit(partial(enqueue, REPAIR_RATINGS, True), robust=True)
    return moved


@transaction.atomic
def guest_rows_move(*, guest_id: int, user_id: int) -> int:
    """What a guest has practised becomes the account's that they have signed in to: the seats,
    under its name, with what was planned beside them and saved, and the answers to puzzles; returns
    how many seats. Matches that are on go on. Idempotent.

    Unlike accounts that are merged, a guest has sat in practice alone, so that nobody else is
    concerned.
    """
    locked = users_lock([guest_id, user_id])
    guest, user = locked[guest_id], locked[user_id]
    if not guest.is_guest or user.is_guest:
        return 0
    seats = MatchPlayer.objects.filter(user=guest, match__in=Match.objects.practice())
    moved = seats.update(user=user, name=user.shown_name)
    _move_saved(user, guest)
    _move_plans(user, guest)
    solver_move(keep=user, duplicate=guest)
    return moved


def _refuse_shared_matches(keep: User, duplicate: User) -> None:
    matches = Match.objects.all()
    for first, second in (
        (matches.filter(players__user=keep), matches.filter(players__user=duplicate)),
        (matches.filter(players__user=keep), matches.filter(referees__user=duplicate)),
        (matches.filter(referees__user=keep), matches.filter(players__user=duplicate)),
        (matches.filter(players__user=keep), matches.filter(commentators__user=duplicate)),
        (matches.filter(commentators__user=keep), matches.filter(players__user=duplicate)),
    ):
        shared = first.filter(pk__in=second.values("pk")).only("pk").order_by("pk").first()
        if shared is not None:
            raise Refusal(
                "merge.same-match",
                f"Both were in match {shared.pk}, which two accounts of one person cannot be.",
            )


def _refuse_running_matches(keep: User, duplicate: User) -> None:
    for user in (keep, duplicate):
        concerned = Q(players__user=user) | Q(referees__user=user) | Q(commentators__user=user)
        match = Match.objects.running().filter(concerned).only("pk").order_by("pk").first()
        if match is not None:
            raise Refusal(
                "merge.playing",
                f"@{user.username} is in match {match.pk}, which is on. Merge when it is over.",
            )


def _move_referees(keep: User, duplicate: User) -> int:
    """Where both were named, once is enough."""
    named = MatchReferee.objects.filter(user=keep).values("match")
    MatchReferee.objects.filter(user=duplicate, match__in=named).delete()
    return MatchReferee.objects.filter(user=duplicate).update(user=keep)


def _move_commentators(keep: User, duplicate: User) -> int:
    """As referees; who was named by whom is moved along."""
    MatchCommentator.objects.filter(named_by=duplicate).update(named_by=keep)
    named = MatchCommentator.objects.filter(user=keep).values("match")
    MatchCommentator.objects.filter(user=duplicate, match__in=named).delete()
    return MatchCommentator.objects.filter(user=duplicate).update(user=keep)


def _move_predictions(keep: User, duplicate: User) -> None:
    """Where both have one of the same match the kept account's stays; nobody keeps one of a match
    in which they sat by either account. Called once the seats have moved."""
    own = Prediction.objects.filter(user=keep).values("match")
    Prediction.objects.filter(user=duplicate, match__in=own).delete()
    Prediction.objects.filter(user=duplicate).update(user=keep)
    sat = MatchPlayer.objects.filter(user=keep).values("match")
    Prediction.objects.filter(user=keep, match__in=sat).delete()


def _move_challenges(keep: User, duplicate: User) -> int:
    """Open ones are taken back rather than moved: nobody agreed to play the kept account. Those
    that went between the two stay where they are."""
    withdrawn = challenges_withdraw(user_id=duplicate.pk)
    seeks_withdraw(user_id=duplicate.pk)
    made = Challenge.objects.filter(challenger=duplicate).exclude(opponent=keep)
    received = Challenge.objects.filter(opponent=duplicate).exclude(challenger=keep)
    moved = made.update(challenger=keep) + received.update(opponent=keep)
    return moved if moved else withdrawn


def _move_hosted(keep: User, duplicate: User) -> int:
    """As challenges: what has not begun is cancelled, and where both were concerned it stays."""
    withdrawn = hosted_withdraw(user_id=duplicate.pk)
    places = ("host", "first", "second")
    both = Q()
    for place in places:
        both |= Q(**{place: keep})
    HostedMatch.objects.filter(ended_by=duplicate).exclude(both).update(ended_by=keep)
    moved = sum(
        HostedMatch.objects.filter(**{place: duplicate}).exclude(both).update(**{place: keep})
        for place in places
    )
    return moved or withdrawn


def _move_chat(keep: User, duplicate: User) -> int:
    """Both may have used one client id in one match; the moved one then gets another."""
    said = ChatMessage.objects.filter(author=duplicate)
    own = ChatMessage.objects.filter(
        author=keep, match=OuterRef("match"), client_id=OuterRef("client_id")
    )
    for message in said.filter(Exists(own)):
        message.client_id = f"merged-{message.pk}"
        message.save(update_fields=["client_id"])
    return said.update(author=keep)


def _move_saved(keep: User, duplicate: User) -> int:
    """Under another name where the kept account has one of that name."""
    moves = list(SavedMove.objects.filter(user=duplicate))
    for move in moves:
        taken = SavedMove.objects.filter(user=keep, ruleset=move.ruleset)
        move.name = _free_name(move.name, set(taken.values_list("name", flat=True)), SAVED_NAME)
        move.user = keep
        move.save(update_fields=["name", "user"])
    return len(moves)


def _move_preparations(keep: User, duplicate: User) -> int:
    """As saved moves."""
    kept = list(Preparation.objects.filter(owner=duplicate))
    for each in kept:
        taken = Preparation.objects.filter(owner=keep, ruleset=each.ruleset, key=each.key)
        names = set(taken.values_list("name", flat=True))
        each.name = _free_name(each.name, names, PREPARATION_NAME)
        each.owner = keep
        each.save(update_fields=["name", "owner"])
    return len(kept)


def _move_pair_rulings(keep: User, duplicate: User) -> int:
    """All but those that the kept account made itself: it would then be its own judge."""
    rulings = PairRuling.objects.exclude(by=keep)
    first = rulings.filter(first=duplicate).exclude(second=keep).update(first=keep)
    return first + rulings.filter(second=duplicate).exclude(first=keep).update(second=keep)


def _move_plans(keep: User, duplicate: User) -> None:
    """Where both have one of the same match, as those may who sat on one seat of it in turn, the
    kept account's stays."""
    own = Plan.objects.filter(user=keep).values("match")
    Plan.objects.filter(user=duplicate, match__in=own).delete()
    Plan.objects.filter(user=duplicate).update(user=keep)


def _free_name(name: str, taken: set[str], longest: int) -> str:
    wanted, number = name, 2
    while wanted in taken:
        suffix = f" ({number})"
        wanted, number = name[: longest - len(suffix)] + suffix, number + 1
    return wanted
