"""Forms of the channel's page. What they take is judged by services; what those refuse is shown
here."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django import forms

from tournaments.formats.registry import format_of
from tournaments.forms.base import ServiceForm
from tournaments.models import Season
from tournaments.posts.kinds import KINDS, kinds_offered
from tournaments.posts.models import ROLES, DiscordChannel
from tournaments.posts.services import ID_MOST


def _number(label: str, help_text: str, *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=ID_MOST + 10,
        required=required,
        help_text=help_text,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "autocomplete": "off", "spellcheck": "false"}
        ),
    )


class ChannelForm(ServiceForm):
    """What is told, whether it mentions anybody, and which roles are given."""

    at_field: ClassVar[dict[str, str]] = {"posts.kinds": "kinds"}

    kinds = forms.MultipleChoiceField(
        label="What is told",
        choices=list(KINDS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    mentions = forms.BooleanField(
        label="Reminders mention who is to move",
        required=False,
        help_text="Only those who have linked their Discord accounts here, and have chosen it.",
    )
    contestant_role = _number("Role of the contestants", "Empty: none is given.")
    eliminated_role = _number("Role of those who are out", "Empty: none is given.")
    spectator_role = _number(
        "Role of those who watch", "Whoever wants it takes it by a button. Empty: there is none."
    )

    def __init__(self, *args: Any, season: Season, **kwargs: Any) -> None:
        self.offered = kinds_offered(episodes=format_of(season.format).episodes)
        super().__init__(*args, **{"initial": {"kinds": list(self.offered)}, **kwargs})
        # What means nothing in this season is no box to tick.
        kinds = cast("forms.MultipleChoiceField", self.fields["kinds"])
        kinds.choices = list(self.offered.items())

    def values(self) -> dict[str, Any]:
        """What the services want to know, of a valid form."""
        said = dict(self.cleaned_data)
        said["roles"] = {name: said.pop(name) for name in ROLES}
        return said


class ConnectForm(ChannelForm):
    """The same for a channel that is to be connected."""

    at_field: ClassVar[dict[str, str]] = {
        **ChannelForm.at_field,
        **dict.fromkeys(
            ("posts.channel", "posts.no-channel", "posts.no-text", "posts.not-yours",
             "posts.may-not-write"),
            "channel_id",
        ),
    }  # fmt: skip

    channel_id = _number(
        "Channel",
        "Its number: with Discord's developer mode on, “Copy Channel ID” in the channel's menu.",
        required=True,
    )
    field_order = ("channel_id",)


class ChangeForm(ChannelForm):
    """The same of one that is connected."""

    def __init__(self, *args: Any, channel: DiscordChannel, **kwargs: Any) -> None:
        names = ("kinds", "mentions", *ROLES)
        initial = {name: getattr(channel, name) for name in names}
        super().__init__(*args, season=channel.season, **{"initial": initial, **kwargs})
