"""Signing in by Discord, and whose a Discord account is here.

- `services`: linking, unlinking, registering; whom a Discord account belongs to
- `wire`: asking Discord
- `told`: what Discord has told of somebody
- `answers`: to those who come back from there, besides signing in
- `library`: what the sign-in library asks: addresses of Discord, and what becomes of an answer
- `offers`: whether it is offered at all
- `forms`, `pages`, `urls`: what people see
"""
