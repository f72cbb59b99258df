"""Following a season by a button, and the list of what one follows."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from games.views.common import needs_sign_in
from tournaments.actions.follows import FOLLOW, UNFOLLOW
from tournaments.actions.subjects import AtPerson
from tournaments.reading.follows import seasons_followed
from tournaments.reading.sheet import Sheet
from tournaments.views.actions import press_or_say
from tournaments.views.common import season_page, with_user


@require_POST
@season_page
@with_user
def follow(request: HttpRequest, sheet: Sheet, user: User) -> HttpResponse:
    """Follow a season, or (``follow=no``) do so no more; leads back to it, or to the list."""
    action = UNFOLLOW if request.POST.get("follow") == "no" else FOLLOW
    back = sheet.season.get_absolute_url()
    if request.POST.get("back") == "list":
        back = reverse("tournaments:seasons_followed")
    return press_or_say(request, action, AtPerson(user, sheet, user), back=back)


@never_cache  # nobody else's to see
@require_safe
@needs_sign_in
def followed(request: HttpRequest, user: User) -> HttpResponse:
    """What one follows."""
    return render(request, "tournaments/followed.html", {"follows": seasons_followed(user)})
