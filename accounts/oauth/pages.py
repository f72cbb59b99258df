"""Pages around OAuth 2: the question whether to let an application in, and the settings for it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from csp.constants import SELF
from csp.decorators import csp_update
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.models import get_application_model
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import AuthorizationView as LibraryAuthorizationView
from oauth2_provider.views import TokenView as LibraryTokenView
from oauthlib.oauth2 import InvalidRequestError, InvalidRequestFatalError

from accounts.models import User
from accounts.oauth import services
from accounts.oauth.library import challenge_is_whole
from accounts.services import audit_record
from accounts.signin.notices import owner_tell
from accounts.signin.recent import (
    ask_to_confirm,
    is_recently_confirmed,
    recently_confirmed,
    typed_before,
)
from core.api.limits import LimitStatus, TooMany
from core.refusals import FORM_REFUSED, Refusal

# What an application asks by.
_ASKED: Final = frozenset(
    {
        "response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge",
        "code_challenge_method", "nonce", "claims",
    }
)  # fmt: skip


@method_decorator(never_cache, name="dispatch")
class AuthorizationView(LibraryAuthorizationView):
    """Ask a person whether to let an application in, in words, once they have shown that it is
    they."""

    template_name = "accounts/authorise.html"
    asks_to_confirm = True  # as `recently_confirmed` marks a view

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page, or where they show it. What the application asks is in the page's address, or
        in the answer to it, so they find it again."""
        if not is_recently_confirmed(request):
            asked = {name: value for name, value in request.POST.items() if name in _ASKED}
            page = f"{request.path}?{urlencode(asked)}" if asked else ""
            return ask_to_confirm(request, page=page)
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        return response

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """The page. The form's answer leads to the application, which browsers must be told."""
        make: Any = super().render_to_response
        there = services.origin_of(context.get("redirect_uri") or "")
        if there:
            make = csp_update({"form-action": [SELF, there]})(make)
        response: HttpResponse = make(context, **kwargs)
        return response

    def redirect(self, redirect_to: str, application: Any) -> HttpResponse:
        """Back to the application, which is told who answers, whatever the answer (RFC 9207)."""
        issuer = oauth2_settings.oauth2_authorization_server_issuer(self.request)
        response: HttpResponse = super().redirect(_with_issuer(issuer, redirect_to), application)
        return response

    def form_valid(self, form: forms.Form) -> HttpResponse:
        """The person's answer. What the form says is asked anew: it comes from a browser."""
        asked = {name: value for name, value in form.cleaned_data.items() if value}
        asked.pop("allow", None)
        again = HttpRequest()
        again.META, again.method, again.path = self.request.META, "GET", self.request.path
        again.GET = QueryDict(urlencode(asked))
        try:
            self.validate_authorization_request(again)
        except OAuthToolkitError as error:
            response: HttpResponse = self.error_response(error, None)
        else:
            response = super().form_valid(form)
        return response

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        """Half a form names nobody to send the person back to."""
        missing = ", ".join(form.errors)
        error = InvalidRequestFatalError(f"The form is not whole: {missing}.")
        response: HttpResponse = self.error_response(FatalClientError(error), None)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With the host that the person is sent back to."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["host"] = urlsplit(context.get("redirect_uri") or "").netloc
        return context

    def validate_authorization_request(self, request: HttpRequest) -> Any:
        """As the library; and PKCE is with a digest, which is told before anybody is asked. The
        library would find that out only when the code is traded in."""
        scopes, credentials = super().validate_authorization_request(request)
        challenge, method = (
            credentials.get(name) for name in ("code_challenge", "code_challenge_method")
        )
        if not challenge_is_whole(challenge, method):
            error = InvalidRequestError(
                "A code challenge of 43 characters is needed, and its method must be S256."
            )
            error.state = credentials.get("state")
            raise OAuthToolkitError(error, redirect_uri=credentials["redirect_uri"])
        return scopes, credentials

    def create_authorization_response(
        self, request: HttpRequest, scopes: str, credentials: dict[str, Any], allow: bool
    ) -> Any:
        """Note in the audit log what was allowed, in the same transaction."""
        with transaction.atomic():
            known = _let_in_before(request.user, credentials["client_id"], scopes)
            made = super().create_authorization_response(request, scopes, credentials, allow)
            if allow:
                assert isinstance(request.user, User)  # noqa: S101  (the library asked)
                application = get_application_model().objects.get(
                    client_id=credentials["client_id"]
                )
                audit_record(
                    acting_user=request.user,
                    action="authorisation.grant",
                    target=application,
                    data={"scopes": scopes},
                )
                said = {"name": application.name, "scopes": ", ".join(scopes.split())}
                if not known:
                    owner_tell(request.user, "application_let_in", said)
        return made


def _let_in_before(user: Any, client_id: str, scopes: str) -> bool:
    """Whether somebody has let an application in already, to do as much."""
    return any(
        entry["application"].client_id == client_id and set(scopes.split()) <= set(entry["scopes"])
        for entry in services.authorisations_of(user)
    )


def _with_issuer(issuer: str, address: str) -> str:
    """An answer's address with `iss`: in the fragment where the rest of the answer stands there."""
    parts = urlsplit(address)
    name = "fragment" if parts.fragment else "query"
    pairs = parse_qsl(getattr(parts, name), keep_blank_values=True)
    answer = urlencode([*(pair for pair in pairs if pair[0] != "iss"), ("iss", issuer)])
    return urlunsplit(parts._replace(**{name: answer}))


class TokenView(LibraryTokenView):
    """Where codes and refresh tokens are traded in."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Codes and refresh tokens go the library's way, on which other classic grants are refused
        by their names. Of what came later it would look up rows that cannot be there."""
        grant = request.POST.get("grant_type", "")
        if ":" in grant:
            return JsonResponse({"error": "unsupported_grant_type"}, status=400)
        response: HttpResponse = self.authorization_flow_token_response(request)
        # The library leaves it out where an error comes late.
        response["Content-Type"] = "application/json"
        return response


def _names_nobody(request: HttpRequest) -> bool:
    """Whether a request holds the one character that no name, token or code can: the database
    would fail over it."""
    said = [value for pairs in request.POST.lists() for value in (pairs[0], *pairs[1])]
    with suppress(ValueError):
        shown = request.headers.get("Authorization", "").partition(" ")[2]
        said.append(b64decode(shown).decode("latin-1").replace("%00", "\0"))
    return any("\0" in each for each in said)


def too_many(standing: LimitStatus) -> HttpResponse:
    """The answer to an application that asks for tokens too often, as it knows errors (RFC 6749,
    5.2), and as our own API says it."""
    refused = TooMany(standing)
    said = {
        "error": "temporarily_unavailable",
        "error_description": refused.sentence,
        "code": refused.code,
        "retry_after": refused.wait,
    }
    answer = JsonResponse(said, status=refused.status_code)
    answer["Retry-After"] = str(refused.wait)
    answer["Access-Control-Allow-Origin"] = "*"
    answer["Cache-Control"] = "no-store"
    return answer


def open_to_other_sites(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let pages of other sites ask: an application that runs in a browser trades its code in from
    there. Cookies play no part, so whoever asks shows all that they may."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST" and _names_nobody(request):
            response: HttpResponse = JsonResponse({"error": "invalid_request"}, status=400)
        else:
            response = view(request, *args, **kwargs)
        response["Access-Control-Allow-Origin"] = "*"
        if request.method == "OPTIONS":
            response["Access-Control-Allow-Methods"] = response["Allow"]
            response["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
            response["Access-Control-Max-Age"] = "86400"
        return response

    return wrapped


class ApplicationForm(forms.Form):
    """A new application."""

    name = forms.CharField(
        label="Name",
        max_length=services.NAME_MAX,
        help_text="Shown to people who are asked to let it in.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    redirect_uris = forms.CharField(
        label="Addresses to send people back to",
        max_length=4000,
        help_text="One a line, each in full: https://example.org/signed-in",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )
    public = forms.BooleanField(
        label="It runs in browsers or on people's devices, and cannot keep a secret",
        required=False,
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@recently_confirmed(keeps=("name", "redirect_uris", "public"))
def applications_page(request: HttpRequest) -> HttpResponse:
    """Show what one has let in and what one has registered, and register one."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    form = ApplicationForm(
        request.POST if request.method == "POST" else None, initial=typed_before(request)
    )
    made: dict[str, Any] = {}
    refused_as = FORM_REFUSED
    if request.method == "POST" and form.is_valid():
        try:
            application, secret = services.application_register(
                acting_user=user,
                name=form.cleaned_data["name"],
                redirect_uris=form.cleaned_data["redirect_uris"].split(),
                public=form.cleaned_data["public"],
            )
        except Refusal as refusal:
            form.add_error(refusal.field or None, refusal.sentence)
            refused_as = refusal.form_status
        else:
            made = {"made": application, "secret": secret}
            form = ApplicationForm()
    context = {
        "form": form,
        "own": services.applications_of(user),
        "authorised": services.authorisations_of(user),
        **made,
    }
    status = 201 if made else refused_as if form.errors else 200
    return render(request, "accounts/applications.html", context, status=status)


@login_required
@require_POST
def application_delete_page(request: HttpRequest, application_id: int) -> HttpResponse:
    """Delete one of one's applications."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101
    application = get_object_or_404(services.applications_of(user), pk=application_id)
    services.application_delete(acting_user=user, application=application)
    messages.success(request, f"“{application.name}” is deleted.")
    return redirect("accounts:applications")


@login_required
@require_POST
def authorisation_revoke_page(request: HttpRequest, application_id: int) -> HttpResponse:
    """Shut an application out again."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101
    application = get_object_or_404(get_application_model(), pk=application_id)
    try:
        services.authorisation_revoke(acting_user=user, application=application)
    except Refusal as refusal:
        messages.error(request, refusal.sentence)
    else:
        messages.success(request, f"“{application.name}” is shut out.")
    return redirect("accounts:applications")
