"""Which refusals of the games are about the address or the caller, for HTTP."""

from config.api import problems
from games.engine.errors import Refusal

problems.register(
    Refusal,
    {
        "match.none": 404,
        "seat.none": 403,
        "organiser.not-allowed": 403,
        "account.closed": 403,
        "frame.malformed": 400,
        "saved.none": 404,
        "setup.ruleset": 404,
        "challenge.none": 404,
        "challenge.not-for-you": 403,
        "challenge.not-yours": 403,
        "chat.not-your-room": 403,
    },
)
