"""Second factors: codes of an authenticator app, passkeys, and recovery codes for whoever loses
theirs. The sign-in library does the work; `accounts.roles` says of whom one is asked.

- `adapter`: what the library asks us: how secrets are stored, what is said
- `forms`: the library's, with our words
- `guessing`: how often they may be tried
- `receivers`: what is written down when a factor comes, goes or is used up
- `services`: taking them away with a new password
- `urls`: its pages
- `middleware`: where whoever is held back for want of one is led
"""
