"""The ledger of a season: every entry is written here, under the season's lock.

- `book`: what everybody has, and how entries are written and taken back
- `acts`: ledger_grant, ledger_give, ledger_correct
- `immunity`: token_spend, and who is immune in an episode by a token (`immune_by_token`)
- `stakes`: wager_offer, wager_set, and what a decided death match moves
- `passing`: what everybody begins with, and what becomes of what somebody has who leaves
- `telling`: what single contestants are told of entries

Who may see which entry is in `tournaments.audience`.
"""
