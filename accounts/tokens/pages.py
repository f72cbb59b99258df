"""Settings for those who write programs: personal tokens, and becoming a bot."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import ApiToken, User
from accounts.signin.recent import recently_confirmed, typed_before
from accounts.tokens.services import NAME_MAX, token_create, token_revoke, user_become_bot
from core.api.scopes import WORDS
from core.refusals import FORM_REFUSED, Refusal

LASTS = [
    ("7", "A week"),
    ("30", "30 days"),
    ("90", "90 days"),
    ("365", "A year"),
]
SHOWN_AT_MOST = 50


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(
        label="Name",
        max_length=NAME_MAX,
        help_text="What it is for, such as the program that will use it.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=[
            (scope.value, format_html("<span><code>{}</code>: {}</span>", scope.value, words))
            for scope, words in WORDS.items()
        ],
        widget=forms.CheckboxSelectMultiple,
        help_text="Never more than you may do yourself. Tick as little as will do.",
    )
    lasts = forms.ChoiceField(label="Good for", choices=LASTS, initial="90")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@recently_confirmed(keeps=("name", "scopes", "lasts"))
def tokens_page(request: HttpRequest) -> HttpResponse:
    """Show one's tokens, and make one: its text is on the answer's page and nowhere else."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    form = TokenForm(
        request.POST if request.method == "POST" else None,
        initial=typed_before(request, several=("scopes",)),
    )
    made: dict[str, Any] = {}
    refused_as = FORM_REFUSED
    if request.method == "POST" and form.is_valid():
        try:
            token, text = token_create(
                acting_user=user,
                name=form.cleaned_data["name"],
                scopes=form.cleaned_data["scopes"],
                lasts=timedelta(days=int(form.cleaned_data["lasts"])),
            )
        except Refusal as refusal:
            form.add_error(refusal.field or None, refusal.sentence)
            refused_as = refusal.form_status
        else:
            made = {"made": token, "text": text}
            form = TokenForm()
    tokens = ApiToken.objects.visible_to(user)[:SHOWN_AT_MOST]
    status = 201 if made else refused_as if form.errors else 200
    context = {"form": form, "tokens": tokens, **made}
    return render(request, "accounts/tokens.html", context, status=status)


@login_required
@require_POST
def token_revoke_page(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of one's tokens."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101
    token = get_object_or_404(ApiToken.objects.visible_to(user), pk=token_id)
    try:
        token_revoke(acting_user=user, token=token)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, f"“{token.name}” is revoked.")
    return redirect("accounts:tokens")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@recently_confirmed
def bot_page(request: HttpRequest) -> HttpResponse:
    """Say what it means to become a bot, and become one."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101
    problem, status = "", 200
    if request.method == "POST":
        if request.POST.get("username", "").strip().lower() != user.username:
            problem, status = "Please type your username to confirm.", FORM_REFUSED
        else:
            try:
                user_become_bot(acting_user=user)
            except Refusal as refusal:
                problem, status = refusal.sentence, refusal.form_status
            else:
                messages.success(request, "This is a bot's account now.")
                return redirect("accounts:tokens")
    return render(request, "accounts/bot.html", {"problem": problem}, status=status)
