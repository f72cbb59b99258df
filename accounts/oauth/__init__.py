"""OAuth 2: other people's applications, and what they have been allowed.

The protocol is the library's (django-oauth-toolkit).

- `library`: what it asks of us, named in `config.settings.oauth`
- `services`: applications and what they are allowed, and who may see which
- `pages`: the question whether to let an application in, and the settings for it
- `urls`: the protocol's own addresses; those of the settings are in `accounts.urls`
"""
