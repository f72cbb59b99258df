"""How every HTTP endpoint of this site behaves, whatever it is about.

Nothing here knows what a match or a season is. `docs/api.md` says how to write an endpoint with it.
"""
