"""Items at the desk."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.refusals import NotFound, RefusalKind, refusal_of
from tournaments.actions.items import GIFT, GRANT, TAKE_BACK
from tournaments.actions.subjects import AtGift, AtSeason
from tournaments.reading.sheet import Sheet
from tournaments.services.items.returns import must_be_held
from tournaments.views.actions import perform
from tournaments.views.common import FORMS, organisers_only


@require_http_methods(FORMS)
@organisers_only
def ledger(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Every item, and a form to enter one."""
    subject = AtSeason(user, sheet)
    return perform(
        request,
        GRANT,
        subject,
        back=subject.address("ledger"),
        template="desk_ledger.html",
        more={
            "gifts": [
                (each, GIFT.offered(AtGift(user, sheet, each))) for each in sheet.gifts_for(user)
            ],
        },
    )


@require_http_methods(FORMS)
@organisers_only
def item_take_back(request: HttpRequest, sheet: Sheet, user: User, pk: int) -> HttpResponse:
    """Take back an item that was given by mistake."""
    gift = next((each for each in sheet.gifts_for(user) if each.pk == pk), None)
    refusal = None if gift is None else refusal_of(must_be_held, gift, user)
    if gift is None or (refusal is not None and refusal.kind is RefusalKind.CONFLICT):
        raise NotFound("gift.none", "There is no such item to take back.")
    subject = AtGift(user, sheet, gift)
    return perform(request, TAKE_BACK, subject, back=subject.address("ledger"))
