"""What the front door and the lobby tell those who are to comment on a match."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from accounts.models import User
from games.reading import selectors

AT_MOST = 5


def commentaries(request: HttpRequest) -> SafeString:
    """A line for each match that is on and that its reader comments on; nothing for anybody
    else."""
    user = request.user
    if not isinstance(user, User):
        return mark_safe("")
    matches = list(selectors.matches_to_comment(user)[:AT_MOST])
    if not matches:
        return mark_safe("")
    return render_to_string("games/_commentaries.html", {"matches": matches}, request=request)
