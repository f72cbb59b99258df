"""Discord, for sites that have an application there: without its id and secret nothing of the site
mentions it. docs/discord.md says how to create one."""

from typing import Any

from core.env import env

GAUNTLET_DISCORD_CLIENT_ID = env.str("GAUNTLET_DISCORD_CLIENT_ID", "")
GAUNTLET_DISCORD_CLIENT_SECRET = env.str("GAUNTLET_DISCORD_CLIENT_SECRET", "")
# Where it is asked; people are sent to the same host. Tests play Discord on this machine.
GAUNTLET_DISCORD_API = env.str("GAUNTLET_DISCORD_API", "https://discord.com/api/v10").rstrip("/")
# For connecting, and for each wait; and for all of a request together.
GAUNTLET_DISCORD_STAGE_SECONDS = 4.0
GAUNTLET_DISCORD_TOTAL_SECONDS = 8.0

# The sign-in library's part for it. Who is linked to whom stands in a table of ours
# (`accounts.models.DiscordLink`); of the library's own tables none is used.
SOCIALACCOUNT_ADAPTER = "accounts.discord.library.SocialAdapter"
SOCIALACCOUNT_FORMS = {"signup": "accounts.discord.forms.SignupForm"}
SOCIALACCOUNT_STORE_TOKENS = False
# Everybody chooses their name here, and an address signs nobody in.
SOCIALACCOUNT_AUTO_SIGNUP = False
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
# The sign-in library's limits that are not its own (docs/security.md has all). Each way
# to Discord leaves the row of a session, and each way back asks Discord twice. A school may
# register from one address; a program must not go on like that for hours. Whoever asks for mails to
# somebody else's address sends them there, where each of them works.
ACCOUNT_RATE_LIMITS = {
    "discord": "20/m/ip",
    "signup": "20/m/ip,100/h/ip",
    "reset_password": "20/m/ip,5/10m/key",
    # By account alone whoever holds somebody's session would keep them from both; ours are by
    # account and address together (`accounts.signin.guessing`).
    "change_password": None,
    "change_password_here": "5/m/key",
    "reauthenticate": None,
    "reauthenticate_here": "10/m/key",
}
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "discord": {"SCOPE": ["identify", "email"], "OAUTH_PKCE_ENABLED": True}
}
