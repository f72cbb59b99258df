"""Forms: the sign-in library's with our labels, and the profile."""

from typing import Any
from zoneinfo import available_timezones

from allauth.account import forms as library
from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from django import forms
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.http import HttpRequest
from django.utils.functional import lazy

from accounts.models import Report, User
from accounts.moderation.appeals import WORDS_MAX as APPEAL_WORDS_MAX
from accounts.moderation.reports import WORDS_MAX
from accounts.names.validators import (
    USERNAME_MIN_LENGTH,
    normalise_display_name,
    validate_time_zone,
)
from accounts.preferences import MOTIONS, RESULTS
from accounts.signin.addresses import address_ask
from accounts.signin.backends import speaks_for
from accounts.signin.ending import parts_of
from core.refusals import Refusal


class PlainFields:
    """Labels stand above the fields, so a placeholder that repeats them only disturbs."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class LoginForm(PlainFields, library.LoginForm):
    """Sign in by username or email address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "Username or email address"
        self.fields["login"].widget.attrs |= {"autocomplete": "username", "autocapitalize": "none"}


HELP_FOR_PASSWORDS = "At least 8 characters. Not only digits, no common password, not your name."


class SignupForm(PlainFields, library.SignupForm):
    """Register."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = User._meta.get_field("username").help_text
        self.fields["username"].widget.attrs |= {
            "autocapitalize": "none",
            "spellcheck": "false",
            "minlength": USERNAME_MIN_LENGTH,
        }
        self.fields["password1"].help_text = HELP_FOR_PASSWORDS
        self.fields["email"].label = "Email address"
        self.fields[
            "email"
        ].help_text = "Never shown. For a new password, and for what you choose to be told by mail."

    def validate_unique_email(self, value: str) -> str:
        """Take any address: whether it is known already is told to its owner alone, by mail."""
        return value

    @transaction.atomic
    def save(self, request: HttpRequest) -> AbstractBaseUser:
        """Create the account with the address, which is unconfirmed for now. That of another
        account is noted in the same way, and never confirmed: see `AccountAdapter`."""
        adapter = get_adapter()
        user: AbstractBaseUser = adapter.save_user(request, adapter.new_user(request), self)
        address = self.cleaned_data["email"]
        EmailAddress.objects.create(user=user, email=address, primary=True, verified=False)
        return user

    def try_save(self, request: HttpRequest) -> tuple[AbstractBaseUser | None, Any]:
        """Create the account; a refusal by the service becomes an error of this form.

        Raises forms.ValidationError then, after adding the error: the view shows the form again.
        """
        try:
            saved: tuple[AbstractBaseUser | None, Any] = super().try_save(request)
        except Refusal as refusal:
            error = forms.ValidationError(refusal.sentence, code=refusal.code)
            self.add_error(refusal.field if refusal.field in self.fields else None, error)
            raise error from refusal
        return saved


class EndingFields(PlainFields):
    """A new password, and boxes for what it ends: it may be changed because somebody else is in the
    account."""

    #: Whether they come by a mail's key, and the boxes are ticked for what lets programs in.
    by_mail = False
    user: User
    cleaned_data: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = HELP_FOR_PASSWORDS
        for name in ("oldpassword", "password1", "password2"):
            if name in self.fields:  # the library's have capitals that no others here have
                self.fields[name].label = str(self.fields[name].label).capitalize()
        found = parts_of(self.user) if self.user is not None else []
        self.parts = [each for each in found if each[0].by_mail or not self.by_mail]
        for part, count in self.parts:
            self.fields[part.name] = forms.BooleanField(
                label=f"{part.words} ({count})",
                required=False,
                initial=self.by_mail and part.proof is None,
            )

    def save(self) -> None:
        """Set the password, and end what is ticked, all or nothing."""
        keeps_sessions = "end_sessions" in self.fields and not self.cleaned_data["end_sessions"]
        with transaction.atomic():
            get_adapter().set_password(
                self.user, self.cleaned_data["password1"], keeps_sessions=keeps_sessions
            )
            for part, _count in self.parts:
                if self.cleaned_data[part.name]:
                    part.end(self.user)


class ChangePasswordForm(EndingFields, library.ChangePasswordForm):
    """Change the password, knowing the old one."""

    end_sessions = forms.BooleanField(
        label="Sign out in all other browsers", required=False, initial=True
    )

    def clean_oldpassword(self) -> str:
        """The old one, which counts as a guess where it is wrong: whoever holds somebody's session
        could try one after another here."""
        given: str = self.cleaned_data["oldpassword"]
        adapter = get_adapter()
        if not adapter.reauthenticate(self.user, given):
            raise adapter.validation_error("enter_current_password")
        return given


class SetPasswordForm(EndingFields, library.SetPasswordForm):
    """Set a password where there is none yet."""

    end_sessions = forms.BooleanField(
        label="Sign out in all other browsers", required=False, initial=True
    )


class ResetPasswordForm(PlainFields, library.ResetPasswordForm):
    """Ask for the mail that allows a new password."""

    users: list[User]

    def clean_email(self) -> str:
        """The address; whom it does not speak for is not written to there."""
        email: str = super().clean_email()
        self.users = [user for user in self.users if speaks_for(user, email)]
        return email


class ResetPasswordKeyForm(EndingFields, library.ResetPasswordKeyForm):
    """Set a new password with the mail's key. All sessions end: there is no box for them.

    What keeps out whoever reads the account's mail ends only with a code besides; where nobody
    could give one there is no box, and `stays` says so to the page.
    """

    by_mail = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.proven = [
            (part, part.proof)
            for part, _count in self.parts
            if part.proof is not None and part.proof.possible(self.user)
        ]
        kept = [part for part, _ in self.parts if part.proof and part not in dict(self.proven)]
        self.parts = [(part, count) for part, count in self.parts if part not in kept]
        for part in kept:
            del self.fields[part.name]
        self.stays = bool(kept)
        if self.proven:
            self.fields["code"] = forms.CharField(
                label="Code",
                required=False,
                max_length=40,
                help_text="Only to remove a passkey or an app: from your app, or a recovery code.",
                widget=forms.TextInput(attrs={"autocomplete": "one-time-code"}),
            )

    def clean(self) -> dict[str, Any]:
        """Last, since a code is good once: what is ticked that mail alone does not end."""
        given: dict[str, Any] = super().clean()
        proof = next((proof for part, proof in self.proven if given.get(part.name)), None)
        if proof is not None and not self.errors:
            try:
                proof.check(self.user, given.get("code", ""))
            except forms.ValidationError as error:
                self.add_error("code", error)
        return given


class AddEmailForm(PlainFields, library.AddEmailForm):
    """Give a new address."""

    user: User
    cleaned_data: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "New address"

    def save(self, request: HttpRequest) -> EmailAddress:
        """Ask for it: the address that there is stays until it is confirmed."""
        return address_ask(request, self.user, self.cleaned_data["email"])


class ReauthenticateForm(PlainFields, library.ReauthenticateForm):
    """Show once more that it is you."""


# The other names of the database are abbreviations, offsets and old spellings.
_CONTINENTS = frozenset(
    [
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    ]
)


def time_zone_choices() -> list[tuple[str, Any]]:
    """The zones that people live in, the device's own first."""
    names = sorted(name for name in available_timezones() if name.split("/")[0] in _CONTINENTS)
    return [
        ("", "As my device"),
        ("UTC", "UTC"),
        *((name, name.replace("_", " ")) for name in names),
    ]


class ProfileForm(forms.ModelForm):
    """What people set about themselves. The view saves it through the service."""

    # Reading the zones takes a while: only when a form is shown.
    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=lazy(time_zone_choices, list),
        required=False,
        help_text=User._meta.get_field("time_zone").help_text,
    )

    class Meta:
        model = User
        fields = (
            "display_name", "time_zone", "theme", "sound_muted", "shown_in_lobby", "phrases_only",
        )  # fmt: skip
        labels = {"theme": "Colours"}
        widgets = {
            "display_name": forms.TextInput(attrs={"autocomplete": "nickname"}),
            "theme": forms.RadioSelect,
        }

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        last = self.instance.device_zone.replace("_", " ")
        told = f"Your device was last in {last}." if last else "Until a device has told: UTC."
        self.fields["time_zone"].help_text += f" {told}"

    def clean_display_name(self) -> str:
        return normalise_display_name(self.cleaned_data["display_name"])

    def _post_clean(self) -> None:
        """Leave the instance alone: the service changes it, under a lock."""


class PreferencesForm(forms.Form):
    """Theme, sound, motion and replays, for anybody. Parts that are not given stay as they are."""

    theme = forms.ChoiceField(
        label="Colours", choices=User.Theme.choices, widget=forms.RadioSelect, required=False
    )
    sound = forms.ChoiceField(
        label="Sound",
        choices=[("on", "On"), ("muted", "Muted")],
        widget=forms.RadioSelect,
        required=False,
    )
    motion = forms.ChoiceField(
        label="Animations",
        choices=MOTIONS,
        widget=forms.RadioSelect,
        required=False,
        help_text="On this device. A device that asks for less motion has it either way.",
    )
    results = forms.ChoiceField(
        label="Replays",
        choices=RESULTS,
        widget=forms.RadioSelect,
        required=False,
        help_text="On this device.",
    )
    # Told by the script of every page.
    device_zone = forms.CharField(
        max_length=64, required=False, validators=[validate_time_zone], widget=forms.HiddenInput
    )


class ReportForm(forms.Form):
    """What is wrong, for the moderators."""

    reason = forms.ChoiceField(
        label="What is wrong?", choices=Report.Reason.choices, widget=forms.RadioSelect
    )
    words = forms.CharField(
        label="What happened?",
        max_length=WORDS_MAX,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="In your own words. Only the moderators read this.",
    )


class AppealForm(forms.Form):
    """Why a sanction should be looked at again."""

    words = forms.CharField(
        label="Why should it be looked at again?",
        max_length=APPEAL_WORDS_MAX,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="In your own words, up to 1,000 characters. Only the moderators read this.",
    )
