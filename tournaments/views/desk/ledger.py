"""The ledger at the desk: what was won is entered, and what was wrong taken back."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from core.refusals import NotFound
from games.views.common import one_page
from tournaments.actions.ledger import CORRECT, ENTER_TOKEN, ENTRY, GRANT
from tournaments.actions.subjects import AtEntry, AtSeason
from tournaments.reading.ledger import entries_file, entries_of, told, treasury_of
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, organisers_only


@require_http_methods(FORMS)
@organisers_only
def treasury(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """What everybody has, every entry, and a form for what was won."""
    subject = AtSeason(user, sheet)
    page = one_page(request, entries_of(sheet.season, user))
    return perform(
        request,
        GRANT,
        subject,
        back=subject.address("treasury"),
        template="desk_treasury.html",
        more={
            "treasury": treasury_of(sheet, user),
            "page": page,
            "entries": [
                (told(sheet.trade, each), ENTRY.offered(AtEntry(user, sheet, each)))
                for each in page
            ],
            "tokens": ENTER_TOKEN.offered(subject),
        },
    )


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
