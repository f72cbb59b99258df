"""The page on which a moderator takes a chat message away, from the match page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from core.refusals import Forbidden, NotFound
from games.actions import REMOVE_BESIDE, AtMessage
from games.audience import chat_visible_to, may_moderate_chat
from games.forms import WhyForm
from games.views.common import explains_refusals, needs_sign_in, problem


@require_http_methods(["GET", "HEAD", "POST"])
@needs_sign_in
@explains_refusals
def remove(request: HttpRequest, user: User, message_id: int) -> HttpResponse:
    """Show a message, and on POST take it away.

    Context: `message`. Raises Refusal ``chat.not-moderator`` (403), ``chat.none`` (404), ``chat.*``
    of `chat_remove`.
    """
    if not may_moderate_chat(user):
        return problem(
            request, Forbidden("chat.not-moderator", "Only moderators may remove messages.")
        )
    readable = chat_visible_to(user).select_related("author", "match")
    message = readable.defer("match__snapshot").filter(pk=message_id).first()
    if message is None:
        raise NotFound("match.none", "There is no such message.")
    form = WhyForm(request.POST)
    if request.method == "POST" and form.is_valid():
        done = REMOVE_BESIDE.do(AtMessage(user, message), form)
        messages.success(request, done.words)
        return redirect(message.match)
    return render(request, "games/chat_remove.html", {"message": message})
