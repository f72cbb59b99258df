"""How often second factors are tried. The sign-in library counts by account alone, over all
addresses: whoever has learnt a password would keep its owner out, five wrong codes at a time. And a
right code takes back all that its address has tried, at any account.

Its forms ask a function of its own, which has no place for another; ours takes that place in each
of them. `tests/accounts/test_guessing.py` fails with a version that asks somewhere else.
"""

from __future__ import annotations

from typing import Final

from allauth.mfa.base import forms as base
from allauth.mfa.base.internal import flows
from allauth.mfa.totp import forms as totp
from allauth.mfa.webauthn import forms as webauthn

from accounts.signin.guessing import code_take

ASKING: Final = (flows, base, totp, webauthn)


def count_here() -> None:
    """Have the library's forms ask ours, from the start of the site on."""
    for module in ASKING:
        module.check_rate_limit = code_take
