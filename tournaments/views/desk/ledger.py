"""The ledger at the desk: what was won is entered, and what was wrong taken back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.actions import Offer
from core.refusals import NotFound, allowed
from games.views.common import one_page
from tournaments.actions.ledger import CORRECT, ENTER_TOKEN, ENTRY, GRANT
from tournaments.actions.subjects import AtEntry, AtSeason
from tournaments.models import LedgerEntry
from tournaments.reading.ledger import Counted, Told, entries_file, entries_of, told, treasury_of
from tournaments.reading.sheet import Sheet
from tournaments.services.ledger import acts
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, organisers_only

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


@require_http_methods(FORMS)
@organisers_only
def treasury(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """What everybody has, every entry, and a form for what was won."""
    subject = AtSeason(user, sheet)
    known = treasury_of(sheet, user)
    page = one_page(request, entries_of(sheet.season, user, whole=known.whole))
    return perform(
        request,
        GRANT,
        subject,
        back=subject.address("treasury"),
        template="desk_treasury.html",
        more={
            "treasury": known,
            "page": page,
            "entries": _with_offers(sheet, user, page),
            "tokens": ENTER_TOKEN.offered(subject),
        },
    )


def _with_offers(
    sheet: Sheet, user: User, page: Iterable[WithAnnotations[LedgerEntry, Counted]]
) -> list[tuple[Told, list[Offer]]]:
    """The entries in words, each with what can be done about it."""
    rows = list(page)
    around = None
    if allowed(acts.must_be_open_to_corrections, sheet.season):
        around = acts.around_of(sheet.season, rows, user)
    return [
        (
            told(sheet.trade, each),
            [] if around is None else ENTRY.offered(AtEntry(user, sheet, each, around)),
        )
        for each in rows
    ]


@require_http_methods(FORMS)
@organisers_only
def treasury_token(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Enter that somebody uses a token."""
    subject = AtSeason(user, sheet)
    return perform(request, ENTER_TOKEN, subject, back=subject.address("treasury"))


@require_http_methods(FORMS)
@organisers_only
def treasury_correct(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """Take an entry back."""
    entry = entries_of(sheet.season, user).filter(pk=pk).first()
    if entry is None:
        raise NotFound("ledger.no-entry", "There is no such entry.")
    subject = AtEntry(user, sheet, entry)
    return perform(request, CORRECT, subject, back=subject.address("treasury"))


@require_safe
@organisers_only
def treasury_file(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Every entry that the reader may see, as CSV."""
    text = entries_file(sheet.season, sheet.trade, user)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{sheet.season.slug}.ledger.csv"'
    return response
