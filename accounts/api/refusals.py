"""Which refusals about accounts are about the address or the caller, for HTTP."""

from accounts.services import Refusal
from config.api import problems

problems.register(
    Refusal,
    {
        "account.not-yours": 403,
        "account.not-administrator": 403,
        "account.not-moderator": 403,
        "account.protected": 403,
        "account.closed": 403,
        "bot.privileged": 403,
    },
)
