"""All that can be done by Discord: commands, buttons and menus.

A command, or what a button does, calls the service that the page calls, and raises what that
refuses; `answering` puts it in the sentence of the page.
"""

from __future__ import annotations

from typing import Final

from tournaments.discord.commands import challenges, matches, people, seasons, watching
from tournaments.discord.commands.base import Command, Pressed

COMMANDS: Final[dict[str, Command]] = {
    each.name: each
    for each in (*people.COMMANDS, *matches.COMMANDS, *challenges.COMMANDS, *seasons.COMMANDS)
}
#: The buttons that have done their part some day, and whether they have.
SPENT: Final = matches.SPENT
#: What buttons and menus do, by the first word of their ids.
PRESSED: Final[dict[str, Pressed]] = {
    **matches.PRESSED,
    **challenges.PRESSED,
    **seasons.PRESSED,
    **watching.PRESSED,
}
