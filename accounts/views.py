"""Pages about people. Thin: they read, ask a service, and show."""

from typing import Any

from allauth.account import app_settings as account_settings
from allauth.account.models import EmailAddress
from allauth.account.views import EmailView as LibraryEmailView
from allauth.account.views import LoginView as LibraryLoginView
from allauth.account.views import PasswordChangeView as LibraryChangePasswordView
from allauth.account.views import PasswordResetFromKeyView as LibraryResetPasswordView
from allauth.account.views import ReauthenticateView as LibraryReauthenticateView
from allauth.account.views import SignupView as LibrarySignupView
from allauth.core.internal.ratelimit import Rate, consume, parse_rates
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import profile
from accounts.addresses import own_address, pending_addresses
from accounts.blocking.services import has_blocked
from accounts.context_processors import Shell
from accounts.forms import AppealForm, PreferencesForm, ProfileForm, ReportForm
from accounts.models import AccountMerge, Report, Sanction, User
from accounts.moderation import appeals, reports
from accounts.moderation.sanctions import warning_acknowledge
from accounts.moderation.standing import end_text, kept_account
from accounts.preferences import (
    MOTION_COOKIE,
    RESULTS_COOKIE,
    SOUND_COOKIE,
    THEME_COOKIE,
    keeps_results_wish,
    remember_preference,
    results_of,
)
from accounts.roles import Role, holds_role
from accounts.services import UNSET, user_note_device_zone, user_update_profile
from accounts.signin.guessing import answered
from accounts.signin.kept_out import kept_out_here, leave, suspension_here
from accounts.signin.recent import recently_confirmed, typed_before
from core.refusals import FORM_REFUSED, Refusal, refusal_of
from core.replica.reading import from_replica


class LoginView(LibraryLoginView):
    """Signing in. Too many tries are answered 429, as all that is too often."""

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        """Show what was refused, and say how long."""
        return answered(form, super().form_invalid(form))


class ChangePasswordView(LibraryChangePasswordView):
    """A new password for whoever knows the old one. Too many tries are answered 429."""

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        """Show what was refused, and say how long."""
        return answered(form, super().form_invalid(form))


class ResetPasswordView(LibraryResetPasswordView):
    """A new password for whoever has a mail's key. Too many codes are answered 429."""

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        """Show what was refused, and say how long."""
        return answered(form, super().form_invalid(form))


class ReauthenticateView(LibraryReauthenticateView):
    """Giving the password once more. Too many tries are answered 429."""

    def form_invalid(self, form: forms.Form) -> HttpResponse:
        """Show what was refused, and say how long."""
        return answered(form, super().form_invalid(form))


class SignupView(LibrarySignupView):
    """Registration. Two people who want the same name at once get one account and one answer."""

    def form_valid(self, form: forms.Form) -> HttpResponse:
        """Create the account and sign its owner in, or show what the service refused."""
        try:
            answer: HttpResponse = super().form_valid(form)
        except ValidationError:
            answer = self.form_invalid(form)
        return answer


class EmailView(LibraryEmailView):
    """One's address, and the one that it changes to."""

    def _action_primary(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """There is one address. It changes when the new one is confirmed, not before."""

    def get_initial(self) -> dict[str, Any]:
        """With the address that was typed before its owner was asked to confirm."""
        known: dict[str, Any] = super().get_initial()
        return known | typed_before(self.request)

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """With the address that there is, confirmed or not, and the one that it is to be."""
        context: dict[str, Any] = super().get_context_data(**more)
        user = self.request.user
        assert isinstance(user, User)  # noqa: S101  (recently_confirmed; for the type checker)
        own = EmailAddress.objects.filter(user=user, email__iexact=own_address(user)).first()
        asked = pending_addresses(user).order_by("pk").last()
        return context | {"current_emailaddress": own, "new_emailaddress": asked}


email_page = recently_confirmed(keeps=("email",))(EmailView.as_view())


@require_safe
@keeps_results_wish
@from_replica
def profile_page(request: HttpRequest, username: str) -> HttpResponse:
    """Show somebody's public page. Names in other cases lead to the canonical address, and the name
    of an account that was merged leads to the kept one."""
    name = User.normalize_username(username)
    person = get_object_or_404(User.objects.members(), username=name)
    # Nobody but a closed account was merged; all others are spared the question.
    if not person.is_active:
        person = kept_account(person)
    if person.username != username:
        return redirect(person, permanent=True)
    blocked = isinstance(request.user, User) and has_blocked(request.user, person)
    context = {
        "person": person,
        "person_is_organiser": holds_role(person, Role.ORGANISER),
        "person_is_moderator": holds_role(person, Role.MODERATOR),
        # Of whoever is gone nothing is put together any more.
        "sections": [] if person.is_former else profile.sections(request, person, blocked=blocked),
        "blocked": blocked,
    }
    return render(request, "accounts/profile.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    """Show and change one's own profile."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    form = ProfileForm(request.POST or None, instance=user)
    refused_as = FORM_REFUSED
    if request.method == "POST" and form.is_valid():
        try:
            user_update_profile(acting_user=user, user=user, **form.cleaned_data)
        except Refusal as refusal:
            form.add_error(refusal.field or None, refusal.sentence)
            refused_as = refusal.form_status
        else:
            messages.success(request, "Your settings are saved.")
            return redirect("accounts:settings")
    status = refused_as if form.errors else 200
    return render(request, "accounts/settings.html", {"form": form}, status=status)


@never_cache
@login_required
@require_safe
def conduct_page(request: HttpRequest) -> HttpResponse:
    """Show one's own sanctions, where one's appeals stand, and what became of one's reports."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    sanctions = Sanction.objects.visible_to(user).prefetch_related("appeals")
    context = {
        "sanctions": [appeals.appealed(user, sanction) for sanction in sanctions[:100]],
        "reports": Report.objects.visible_to(request.user)[:100],
        "merges": AccountMerge.objects.filter(keep=request.user.pk).select_related("duplicate"),
    }
    return render(request, "accounts/conduct.html", context)


@login_required
@require_POST
def warning_acknowledge_view(request: HttpRequest, sanction_id: int) -> HttpResponse:
    """Note that the reader has read a warning, and go on where they were."""
    sanction = get_object_or_404(Sanction.objects.visible_to(request.user), pk=sanction_id)
    assert isinstance(request.user, User)  # noqa: S101  (login_required; for the type checker)
    try:
        warning_acknowledge(acting_user=request.user, sanction=sanction)
    except Refusal as refusal:
        messages.warning(request, refusal.sentence)
    return redirect(_safe_next(request, request.POST.get("next", "")))


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def appeal_page(request: HttpRequest, sanction_id: int) -> HttpResponse:
    """Appeal against a sanction of one's own."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    sanction = get_object_or_404(Sanction.objects.visible_to(user), pk=sanction_id)
    refused = refusal_of(appeals.must_be_appealable, user, sanction)
    if refused is not None:
        messages.warning(request, refused.sentence)
        return redirect("accounts:conduct")
    form = AppealForm(request.POST if request.method == "POST" else None)
    refused_as = _appeal(user, sanction, form) if request.method == "POST" else 0
    if request.method == "POST" and not refused_as:
        messages.success(request, _APPEALED)
        return redirect("accounts:conduct")
    context = {"form": form, "sanction": sanction}
    return render(request, "accounts/appeal_new.html", context, status=refused_as or 200)


@login_required
@require_POST
def appeal_withdraw_view(request: HttpRequest, sanction_id: int) -> HttpResponse:
    """Take one's own appeal back."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    sanction = get_object_or_404(Sanction.objects.visible_to(user), pk=sanction_id)
    _withdraw(request, user, sanction)
    return redirect("accounts:conduct")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def suspended_page(request: HttpRequest) -> HttpResponse:
    """Tell somebody who may not come in why, and until when, and let them appeal: it is the only
    page that they have.

    Only to themselves: to who has given the right password within the hour, or whose session was
    cut off, until they leave the page. Anybody else is sent to sign in.
    """
    sanction = suspension_here(request)
    if sanction is None:
        return redirect("account_login")
    form, refused_as = AppealForm(), 0
    if request.method == "POST":
        if "leave" in request.POST:
            leave(request)
            return redirect("account_login")
        if "withdraw" in request.POST:
            _withdraw(request, sanction.user, sanction)
        else:
            form = AppealForm(request.POST)
            refused_as = _appeal(sanction.user, sanction, form)
            if not refused_as:
                messages.success(request, _APPEALED)
        if not refused_as:
            return redirect("accounts:suspended")
    context = {
        "sanction": sanction,
        "until": end_text(sanction, sanction.user),
        "appealed": appeals.appealed(sanction.user, sanction),
        "form": form,
    }
    return render(request, "accounts/suspended.html", context, status=refused_as or 200)


_APPEALED = "Thank you. A moderator will look at it again and answer."


def _appeal(user: User, sanction: Sanction, form: AppealForm) -> int:
    """File an appeal. Returns the status of a page that says why it was not, or 0."""
    if not form.is_valid():
        return FORM_REFUSED
    try:
        appeals.appeal_file(acting_user=user, sanction=sanction, **form.cleaned_data)
    except Refusal as refusal:
        form.add_error(refusal.field or None, refusal.sentence)
        return refusal.form_status
    return 0


def _withdraw(request: HttpRequest, user: User, sanction: Sanction) -> None:
    """Take back the latest appeal against a sanction, and say what came of it."""
    latest = appeals.appealed(user, sanction).appeal
    if latest is None:
        raise Http404("There is no appeal.")
    try:
        appeals.appeal_withdraw(acting_user=user, appeal=latest)
    except Refusal as refusal:
        messages.warning(request, refusal.sentence)
    else:
        messages.success(request, "Your appeal is withdrawn.")


@require_safe
def closed_page(request: HttpRequest) -> HttpResponse:
    """Tell whoever has just given the password of a closed account that it is closed and, where it
    was merged into another, into which one. Anybody else reads of closed accounts in general."""
    kept_out = kept_out_here(request)
    closed = None if kept_out is None or kept_out.is_active else kept_out
    kept = None if closed is None else kept_account(closed)
    context = {"closed": closed, "kept": None if kept == closed else kept}
    return render(request, "account/account_inactive.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report_new(request: HttpRequest, target_type: str, target_id: str) -> HttpResponse:
    """Report a person, or what another app lets be reported, to the moderators."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    target = reports.target_of(user, target_type, target_id)
    if target is None:
        raise Http404("There is nothing here that you could report.")
    form = ReportForm(request.POST if request.method == "POST" else None)
    refused: Refusal | None = None
    if request.method == "POST" and form.is_valid():
        try:
            reports.report_file(
                acting_user=user, target_type=target_type, target_id=target_id, **form.cleaned_data
            )
        except Refusal as refusal:
            form.add_error(refusal.field or None, refusal.sentence)
            refused = refusal
        else:
            messages.success(request, "Thank you. The moderators will look at it and answer.")
            return redirect("accounts:conduct")
    refused_as = FORM_REFUSED if refused is None else refused.form_status
    context = {"form": form, "target": target}
    status = refused_as if form.errors else 200
    answer = render(request, "accounts/report_new.html", context, status=status)
    if refused is not None and refused.retry_after is not None:
        answer["Retry-After"] = str(refused.retry_after)
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
def preferences_page(request: HttpRequest) -> HttpResponse:
    """Show and change theme and sound, for anybody: in the account, else in cookies; and what holds
    for a device, always in cookies.

    A script that posts with `Accept: application/json` gets 204, or 422 with `errors` by field.
    """
    wants_json = request.headers.get("Accept", "") == "application/json"
    if request.method != "POST":
        shell = Shell(request)
        initial = {"theme": shell.theme, "sound": shell.sound}
        device = {"motion": shell.motion, "results": results_of(request)}
        form = PreferencesForm(initial={**initial, **device})
        context = {"form": form, "next": _safe_next(request, request.headers.get("Referer", ""))}
        return render(request, "accounts/preferences.html", context)
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        if wants_json:
            return JsonResponse({"code": "invalid", "errors": form.errors}, status=FORM_REFUSED)
        return render(request, "accounts/preferences.html", {"form": form}, status=FORM_REFUSED)
    response: HttpResponse
    if wants_json:
        response = HttpResponse(status=204)
    else:
        messages.success(request, "Your choice is saved.")
        response = redirect(_safe_next(request, request.POST.get("next", "")))
    _save_preferences(request, response, form.cleaned_data)
    return response


def _save_preferences(request: HttpRequest, response: HttpResponse, data: dict[str, str]) -> None:
    theme, sound = data["theme"], data["sound"]
    for cookie, value in ((MOTION_COOKIE, data["motion"]), (RESULTS_COOKIE, data["results"])):
        if value:
            remember_preference(request, response, cookie, value)
    if isinstance(request.user, User):
        user_update_profile(
            acting_user=request.user,
            user=request.user,
            theme=theme or UNSET,
            sound_muted=sound == "muted" if sound else UNSET,
        )
        if data["device_zone"]:
            user_note_device_zone(user=request.user, zone=data["device_zone"])
        return
    for cookie, value in ((THEME_COOKIE, theme), (SOUND_COOKIE, sound)):
        if value:
            remember_preference(request, response, cookie, value)


def _safe_next(request: HttpRequest, address: str) -> str:
    """An address of this site, or the home page for anything else."""
    allowed = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if address and allowed else "/"


# Which limit of the sign-in library an address falls under.
_LIMITS = {
    "account_login": "login",
    "account_signup": "signup",
    "account_reset_password": "reset_password",
    "account_reset_password_from_key": "reset_password_from_key",
    "account_change_password": "change_password_here",
    "account_set_password": "change_password_here",
    "account_email": "manage_email",
    "account_reauthenticate": "reauthenticate_here",
    "mfa_reauthenticate": "reauthenticate_here",
    "mfa_reauthenticate_webauthn": "reauthenticate_here",
    "discord_asked": "discord",
    "discord_link": "discord",
    "discord_login": "discord",
    "socialaccount_signup": "signup",
}


def _used_up(request: HttpRequest, action: str) -> list[Rate]:
    """Which of an action's limits have nothing left: those of somebody else's account, where it is
    none of the caller's own."""
    own, others = [], []
    for part in filter(None, (account_settings.RATE_LIMITS.get(action) or "").split(",")):
        (rate,) = parse_rates(part)
        if rate.per == "key":
            others.append(rate)
        elif not consume(
            request, app="allauth.account", action=action, config={action: part}, dry_run=True
        ):
            own.append(rate)
    return own or others


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Answer 429: name the limit and the seconds after which it is certain to have passed."""
    match = request.resolver_match
    action = _LIMITS.get(match.url_name or "", "") if match else ""
    rates = _used_up(request, action)
    context: dict[str, Any] = {"limits": [], "wait": 60}
    if rates:
        context["wait"] = int(max(rate.duration for rate in rates))
        context["limits"] = [
            f"{rate.amount} {'try' if rate.amount == 1 else 'tries'} in {int(rate.duration)} s"
            for rate in rates
            if rate.amount
        ]
    response = render(request, "429.html", context, status=429)
    response["Retry-After"] = str(context["wait"])
    return response
