"""The page on which a moderator takes a chat message away, from the match page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.auditing.looks import look_record
from accounts.models import User
from core.refusals import NotFound
from games.actions import REMOVE_BESIDE, AtMessage
from games.audience import chat_visible_to
from games.forms import WhyForm
from games.models import ChatMessage
from games.services.chat import must_moderate
from games.views.common import explains_refusals, needs_sign_in


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def remove(request: HttpRequest, user: User, message_id: int) -> HttpResponse:
    """Show a message, and on POST take it away.

    That it was shown is written down. Context: `message`; `refused`, why it cannot be taken away
    now, or None. Raises Refusal as
    `chat_remove` does, and ``match.none`` (404).
    """
    # First, so that nobody else learns which messages there are.
    must_moderate(user)
    readable = chat_visible_to(user).select_related("author", "match")
    message = readable.defer("match__snapshot").filter(pk=message_id).first()
    if message is None:
        raise NotFound("match.none", "There is no such message.")
    subject = AtMessage(user, message)
    form = WhyForm(request.POST)
    if request.method == "POST" and form.is_valid():
        done = REMOVE_BESIDE.do(subject, form)
        messages.success(request, done.words)
        return redirect(message.match)
    # Also what was taken away, which only moderators see, here as in the admin site.
    look_record(request, ChatMessage, message)
    context = {"message": message, "refused": REMOVE_BESIDE.refusal(subject)}
    return render(request, "games/chat_remove.html", context)
