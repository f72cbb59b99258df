"""Seasons in templates: {% load seasons %}."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User
from core.actions import Offer
from games import words
from games.models import Match
from games.options import pace
from tournaments.actions.challenges import ENTER
from tournaments.actions.seasons import CONCLUDE
from tournaments.actions.subjects import AtContestant, AtSeason
from tournaments.lifecycle import (
    STILL_IN,
    ContestantStatus,
    DeathMatchStatus,
    How,
    RoundStatus,
    SeasonStatus,
    Visibility,
)
from tournaments.models import (
    Contestant,
    DeathMatch,
    Gift,
    ItemEvent,
    LedgerEntry,
    Leg,
    Picture,
    Round,
    Season,
    SeasonEvent,
    Unit,
)
from tournaments.models.contestants import NO_ACCOUNT
from tournaments.naming import SIGN_EXPLAINED, sign_of
from tournaments.pictures import brackets, links, portraits, timelines
from tournaments.posts import copying
from tournaments.reading.death_matches import game_of, told_score
from tournaments.reading.items import item_named
from tournaments.reading.ledger import Purse
from tournaments.reading.scores import ScoreSheet
from tournaments.reading.sheet import Sheet
from tournaments.standings.metrics import Value, value_text
from tournaments.trade import Trade

register = template.Library()

#: How large portraits are, in pixels, and which size of a picture that is made of.
_FACES: Final = {"small": (26, 80), "": (36, 80), "large": (80, 160)}


@register.inclusion_tag("tournaments/_for_discord.html", takes_context=True)
def for_discord(
    context: dict[str, Any], what: str, row: Round | DeathMatch | None = None
) -> dict[str, str]:
    """What organisers can copy of a page for Discord: of its ``season`` or ``standings``, of a
    round or a death match. Of a draft, which nobody else can read, nothing."""
    sheet: Sheet = context["sheet"]
    if not context["may_manage"] or sheet.season.visibility == Visibility.DRAFT:
        return {"text": ""}
    if isinstance(row, Round):
        return {"text": copying.round_copied(sheet, row)}
    if isinstance(row, DeathMatch):
        return {"text": copying.death_match_copied(row)}
    of = {"season": copying.season_copied, "standings": copying.standings_copied}[what]
    return {"text": of(sheet)}


@register.simple_tag
def face(contestant: Contestant | None, size: str = "") -> SafeString:
    """A contestant's portrait: their picture, or the initial on a colour of their own. Sizes:
    small, large. Those who have left are shown faded; nobody yet is a question mark. The name
    stands beside it, so that it says nothing itself."""
    kind = f" avatar--{size}" if size else ""
    if contestant is None:
        return format_html('<span class="avatar{} face--nobody" aria-hidden="true">?</span>', kind)
    gone = "" if contestant.status in STILL_IN else " face--gone"
    if contestant.picture is not None:
        pixels, kept = _FACES[size]
        return format_html(
            '<img class="avatar{}{}" src="{}" width="{}" height="{}" alt="" loading="lazy" '
            'decoding="async">',
            kind, gone, contestant.picture.address(kept), pixels, pixels,
        )  # fmt: skip
    return format_html(
        '<span class="avatar avatar--{}{}{}" aria-hidden="true">{}</span>',
        portraits.colour_of(contestant),
        kind,
        gone,
        portraits.initial_of(contestant.name),
    )


@register.filter
def is_in_turns(match: Match) -> bool:
    """Whether its players need not be there together for it to begin."""
    return words.is_in_turns(match)


@register.filter
def season_photograph(season: Season) -> str:
    """Where a season's picture is, as wide as a card; empty where there is none."""
    return "" if season.picture is None else season.picture.address(600)


@register.filter
def address_at(picture: Picture, width: int) -> str:
    """Where a picture is in one of its sizes."""
    return picture.address(width)


@register.filter
def has_items(sheet: Sheet, user: Any) -> bool:
    """Whether pages speak to somebody of items."""
    return sheet.has_items(user)


@register.filter
def season_shared(season: Season) -> str:
    """Where the picture is that links to a season show."""
    return links.shared(season)


@register.simple_tag
def contestant_link(contestant: Contestant | None, link: bool = True) -> SafeString:
    """A contestant's name, leading to their profile where they have an account; without one it says
    so, since that name is none of theirs, and somebody here may be called that."""
    if contestant is None:
        return SafeString('<span class="muted">To be decided</span>')
    name = format_html('<bdi class="person__name">{}</bdi>', contestant.name)
    if contestant.user is None:
        return format_html('<span class="person">{}{}</span>', name, account_mark(contestant))
    if not link:
        return format_html('<span class="person">{}</span>', name)
    return format_html(
        '<a class="person" href="{}">{}</a>', contestant.user.get_absolute_url(), name
    )


@register.simple_tag
def account_mark(contestant: Contestant | None) -> SafeString:
    """What stands behind a name where there is no account here: for names that stand alone, and may
    be cut where there is no room."""
    if contestant is None or contestant.user_id is not None:
        return SafeString("")
    return format_html(' <span class="muted small">{}</span>', NO_ACCOUNT)


@register.simple_tag
def season_timeline(sheet: Sheet) -> timelines.Timeline:
    """The drawing of a season's episodes."""
    return timelines.timeline(sheet)


@register.simple_tag(takes_context=True)
def latest_scores(context: dict[str, Any]) -> tuple[Round, ScoreSheet] | None:
    """The scores of the last main match, as the reader of a season's page sees them, and its round;
    None where it has none."""
    sheet: Sheet = context["sheet"]
    return sheet.latest_scores(context["request"].user)


@register.simple_tag
def season_bracket(sheet: Sheet) -> brackets.Drawing | None:
    """The drawing of a bracket."""
    return brackets.bracket_drawing(sheet)


@register.simple_tag
def challenge_offers(sheet: Sheet, user: User) -> list[tuple[Contestant, Offer | None]]:
    """Who stands on the rungs, the top first, each with what leads to a challenge that an organiser
    can enter for whoever stands there; None where there is none."""
    found = ((each, AtContestant(user, sheet, each)) for each, _ in sheet.rungs)
    return [(each, ENTER.offer(at) if ENTER.offered(at) else None) for each, at in found]


@register.simple_tag
def conclusion_offer(sheet: Sheet, user: User) -> Offer | None:
    """What leads to the end of a season by its order; None while it cannot be ended so."""
    subject = AtSeason(user, sheet)
    return CONCLUDE.offer(subject) if CONCLUDE.offered(subject) else None


@register.filter
def status_tag(season: Season) -> SafeString:
    """How far a season is, as a tag."""
    if season.visibility == Visibility.DRAFT:
        return SafeString('<span class="tag">draft</span>')
    kinds = {
        SeasonStatus.ENROLLING: "tag--info",
        SeasonStatus.RUNNING: "tag--live",
        SeasonStatus.FINISHED: "tag--success",
        SeasonStatus.CANCELLED: "tag--danger",
    }
    tag = format_html(
        '<span class="tag {}">{}</span>',
        kinds[SeasonStatus(season.status)],
        season.get_status_display().lower(),
    )
    if season.visibility == Visibility.ARCHIVED:
        return format_html('{} <span class="tag">archived</span>', tag)
    return tag


@register.filter
def ended(contestant: Contestant, for_third: bool = False) -> str:
    """What has become of a contestant, in a few words; ``for_third``: what they still play for is
    third place."""
    season = contestant.season
    if season.winner_id == contestant.pk:
        return "winner"
    status = ContestantStatus(contestant.status)
    if status == ContestantStatus.ACTIVE:
        if season.status == SeasonStatus.FINISHED and contestant.place:
            return f"place {contestant.place}"
        return "plays for third place" if for_third else "still in"
    if contestant.place and status != ContestantStatus.REPLACED:
        return f"{status.label.lower()}, place {contestant.place}"
    return str(status.label).lower()


@register.filter
def game(row: Leg | Round) -> str:
    """What is played; empty while that is not decided."""
    return game_of(row)


@register.filter
def supplied(leg: Leg) -> str:
    """What an organiser has prepared for a leg instead of leaving it to chance, and who."""
    names = ", ".join(words.supplies_named(leg.ruleset, leg.prepared))
    by = "an organiser" if leg.prepared_by is None else leg.prepared_by.shown_name
    return f"{names}, by {by}, instead of being drawn"


@register.filter
def game_named(entry: Any) -> str:
    """The name of a game of a season's repertoire."""
    return words.game_name(entry["ruleset"], entry["variant"])


@register.filter
def pace_named(key: str) -> str:
    """The name of a pace."""
    return next((each.name for each in pace.PACES if each.id == key), key)


@register.filter
def item_name(gift: Gift) -> str:
    """The name of an item."""
    return item_named(gift)[0]


@register.filter
def happened(event: ItemEvent) -> str:
    """One line of an item's history, in a sentence."""
    return event.words or f"{event.kind.replace('-', ' ').capitalize()}."


@register.filter
def appointment(event: SeasonEvent) -> tuple[str, datetime] | None:
    """Who has been given a time, and which: for an event that says so in words of UTC."""
    at = event.data.get("at") if event.kind == "death-match.scheduled" else None
    who = event.words.rpartition(" is on ")[0]
    return (who, datetime.fromisoformat(at)) if at and who else None


@register.filter
def how_text(row: DeathMatch) -> str:
    """What a result rests on, where it was not simply played."""
    if row.status == DeathMatchStatus.VOID:
        return "void"
    return {How.WALKOVER: "walkover", How.BYE: "bye", How.RULING: "by ruling"}.get(
        How(row.how) if row.how else How.PLAYED, ""
    )


@register.filter
def sides(row: DeathMatch) -> list[dict[str, Any]]:
    """Both sides for a card: `contestant`, `score`, `result` (won, lost or empty) and `seat`."""
    found = []
    counted = row.status in (DeathMatchStatus.DECIDED, DeathMatchStatus.RUNNING)
    scores = told_score(row) if counted and row.how not in (How.WALKOVER, How.BYE) else None
    for seat, side in enumerate((row.home, row.away)):
        result = ""
        if row.winner_id is not None:
            result = "won" if side is not None and row.winner_id == side.pk else "lost"
        found.append(
            {
                "contestant": side,
                "score": None if scores is None else scores[seat],
                "result": result,
                "seat": seat,
            }
        )
    return found


@register.filter
def round_title(row: DeathMatch) -> str:
    """The round of a death match; the match for third place stands in the round of the final."""
    third = row.round.is_final and row.key and row.number > 1
    return "Third place" if third else row.round.name


@register.filter
def how_far(played: Round, sheet: Sheet) -> str:
    """How far a round is, in a few words; one that was there from the beginning is open long before
    its turn, and for a while after it."""
    now = sheet.current
    if sheet.format.rounds_ahead and played.status == RoundStatus.OPEN:
        if now is None or played.number < now.number:
            return RoundStatus.CLOSED.label.lower()
        if played.number > now.number:
            return "to come"
    return played.get_status_display().lower()


@register.filter
def sides_text(row: DeathMatch) -> str:
    """Both sides in words: "Ada against Ben"."""
    if row.away is None and row.how == How.BYE:
        return f"{row.home} has a bye"
    one, other = (str(side or "to be decided") for side in (row.home, row.away))
    return f"{one} against {other}"


@register.filter
def marked(text: str, sheet: Sheet) -> str:
    """A sentence that was written down, in which names say where there is no account here."""
    return sheet.naming.marked(text)


@register.filter
def purse(has: Purse, trade: Trade) -> str:
    """What somebody has, in words."""
    parts = [trade.said(has.currency, Unit.CURRENCY)] if trade.currency else []
    parts += [trade.said(has.tokens, Unit.TOKEN)] if trade.tokens else []
    return " and ".join(parts)


@register.filter
def said(trade: Trade, entry: LedgerEntry) -> str:
    """How much an entry moves, in words."""
    return trade.said(entry.amount, entry.unit)


@register.filter
def sign(contestant: Contestant) -> str:
    """What stands behind a name in a drawing where there is no account here."""
    return sign_of(contestant)


@register.simple_tag
def sign_explained(sheet: Sheet) -> str:
    """What the sign behind names means, for beside a drawing; empty where none has it."""
    return SIGN_EXPLAINED if sheet.naming.has_unmatched else ""


@register.filter
def value(found: Value) -> str:
    """What a metric came to; a dash where it did not apply."""
    return value_text(found)


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """What stands in a mapping under a key that the template has in a variable."""
    return mapping.get(key)


@register.filter
def to_int(number: float) -> str:
    """A length for a drawing, without a needless fraction."""
    return f"{number:g}"


@register.filter
def standing(sheet: Sheet) -> str:
    """How far a season is, in a few words."""
    return links.standing_text(sheet)
