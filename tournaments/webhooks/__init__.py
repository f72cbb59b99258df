"""Webhooks: what happens in a season, told to other programs and to Discord.

- `models`: a webhook and its deliveries
- `kinds`: what a webhook may ask for
- `outbox`: deliveries are written in the transaction of what they tell of
- `following`: turns of the matches that somebody listens to
- `payloads`, `telling`, `discord`: what is said, from public facts alone
- `destinations`, `wire`: where to, and how; `signing`: with which proof
- `sending`: one delivery at a time, in order, and again after a failure
- `services`: what organisers do; `views`, `forms`, `urls`: their pages; `tasks`: what workers do
"""
