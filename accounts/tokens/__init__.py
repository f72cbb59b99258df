"""Personal tokens for the API, and accounts that programs play with.

- `text`: what a token looks like; pure
- `bearers`: whom a token speaks for, a personal one or one of OAuth 2
- `services`: making and revoking tokens, and becoming a bot
- `pages`: the settings for them
"""
