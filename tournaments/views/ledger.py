"""What a season trades in: what everybody sees of it, and what contestants do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.blocking.services import blocked_names
from accounts.models import User
from core.replica.reading import from_replica
from games.views.common import one_page, signed_in
from tournaments.actions.ledger import OFFER, PAY, USE_TOKEN
from tournaments.actions.subjects import AtContestant, AtDeathMatch
from tournaments.reading.ledger import entries_of, told, treasury_of
from tournaments.reading.sheet import Sheet
from tournaments.services.ledger.stakes import said_of, wagered
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, public_page, season_page, shown, with_user
from tournaments.views.players import me_in


@require_safe
@from_replica
@public_page
def purse(request: HttpRequest, sheet: Sheet) -> HttpResponse:
    """What everybody has, and what was moved, as far as the reader may see it."""
    known = treasury_of(sheet, request.user)
    page = one_page(request, entries_of(sheet.season, request.user, whole=known.whole))
    reader = signed_in(request)
    blocked = [] if reader is None else blocked_names(reader)
    context = {
        "treasury": known,
        "page": page,
        "entries": [(told(sheet.trade, each, blocked=blocked), ()) for each in page],
        "own": _own_actions(sheet, reader),
    }
    return shown(request, sheet, "purse.html", context)


def _own_actions(sheet: Sheet, user: User | None) -> set[str]:
    """The names of what the reader can do here."""
    own = None if user is None else sheet.contestant_of(user)
    if user is None or own is None:
        return set()
    subject = AtContestant(user, sheet, own)
    return {each.name for each in (PAY, USE_TOKEN) if each.offered(subject)}


@require_http_methods(FORMS)
@season_page
@with_user
def pay(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Give another contestant something."""
    subject = AtContestant(user, sheet, me_in(sheet, user))
    return perform(request, PAY, subject, back=subject.address("purse"))


@require_http_methods(FORMS)
@season_page
@with_user
def use_token(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Use an immunity token."""
    subject = AtContestant(user, sheet, me_in(sheet, user))
    return perform(request, USE_TOKEN, subject, back=subject.address("purse"))


@require_http_methods(FORMS)
@season_page
@with_user
def wager(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """Say what one wagers in a death match."""
    found = sheet.death_match(pk)
    subject = AtDeathMatch(user, sheet, found)
    said = said_of(found.row, user)
    context = {"row": found.row, "said": said, "wagered": wagered(found.row)}
    return perform(
        request,
        OFFER,
        subject,
        back=found.row.get_absolute_url(),
        template="wager.html",
        more=context,
    )
