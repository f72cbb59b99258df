"""What the bot says in Discord by itself: of a season, in a channel of its organisers' choosing.

- `models`: a season's channel, the places in which something stands there, each message, each role
- `kinds`: what can be posted, and which events of a season lead to it
- `permissions`, `checking`: what the bot, and whoever connects a channel, may do there
- `outbox`: what is to be said is written in the transaction of what it tells of
- `words`: what messages say, from what everybody may see; how events read is `webhooks.telling`
- `sending`: one place at a time, in order, and again after a failure; `roles`: who has which
- `services`: what organisers do; `actions`, `forms`, `views`, `urls`: their pages; `receivers`,
  `tasks`: what workers do

A message is posted once, or it lives: then it shows how things are now, however often they change,
and what is said of it is made when it is said.
"""
