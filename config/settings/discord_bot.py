"""The Discord application: commands that Discord tells the site of, and what its bot says there.

Without a public key there are no commands, and nothing is at their address.
"""

from django.core.exceptions import ImproperlyConfigured

from core.env import env

# Whose signature Discord's requests have: of the application, as its page shows it.
GAUNTLET_DISCORD_PUBLIC_KEY = env.str("GAUNTLET_DISCORD_PUBLIC_KEY", "").strip().lower()
# Registers the commands, and speaks in channels.
GAUNTLET_DISCORD_BOT_TOKEN = env.str("GAUNTLET_DISCORD_BOT_TOKEN", "").strip()
# How many commands and buttons somebody has a minute, and beside these, letters typed into fields.
GAUNTLET_DISCORD_PER_MINUTE = env.int("GAUNTLET_DISCORD_PER_MINUTE", 120)
# For connecting, and for each wait while writing and reading; and for all that one call takes, with
# whatever it has to wait for its turn.
GAUNTLET_DISCORD_BOT_STAGE_SECONDS = env.float("GAUNTLET_DISCORD_BOT_STAGE_SECONDS", 5.0)
GAUNTLET_DISCORD_BOT_TOTAL_SECONDS = env.float("GAUNTLET_DISCORD_BOT_TOTAL_SECONDS", 20.0)

# Of a worker's threads no more than these wait for Discord to take the bot's messages and roles.
GAUNTLET_DISCORD_SENDERS = env.int("GAUNTLET_DISCORD_SENDERS", 3)

# No more of them wait for it to take what commands were promised.
GAUNTLET_DISCORD_ANSWER_SENDERS = env.int("GAUNTLET_DISCORD_ANSWER_SENDERS", 3)

# And no more of them wait for it to take direct messages of announcements.
GAUNTLET_DISCORD_DIRECT_SENDERS = env.int("GAUNTLET_DISCORD_DIRECT_SENDERS", 2)

if GAUNTLET_DISCORD_PUBLIC_KEY:
    try:
        _sound = len(bytes.fromhex(GAUNTLET_DISCORD_PUBLIC_KEY)) == 32
    except ValueError:
        _sound = False
    if not _sound:
        raise ImproperlyConfigured("GAUNTLET_DISCORD_PUBLIC_KEY must have 64 hexadecimal digits.")

DISCORD_TASKS = ("tournaments.discord.tasks",)
