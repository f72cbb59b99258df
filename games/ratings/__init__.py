"""Ratings and leaderboards: how strong each player is, in each game and overall, computed from the
results and from nothing else.

`rating` is the pure arithmetic, `results` says which results count, `services` keeps the tables,
`boards` reads them for pages and the API. `docs/leaderboards.md` explains it to readers.
"""
