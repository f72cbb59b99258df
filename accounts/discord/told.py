"""What Discord has told of somebody who comes back from there."""

from __future__ import annotations

from allauth.socialaccount.models import SocialLogin


def name_of(sociallogin: SocialLogin) -> str:
    """What somebody is called at Discord."""
    return str(sociallogin.account.extra_data.get("username", ""))


def confirmed_address(sociallogin: SocialLogin) -> str:
    """The address that Discord has had its owner confirm, in lower case; empty where there is
    none."""
    told = sociallogin.account.extra_data
    return str(told.get("email", "")).lower() if told.get("verified") is True else ""
