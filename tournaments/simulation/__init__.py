"""Whole seasons played through the services that people use, with bots as players: to try the site
out, to fill a fresh one (`demo`), and to be checked by `tournaments.invariants`.

`plan` says what is played, `run` is a season while it is; `players` and `death_matches` do what
players and organisers do, `rounds` goes through a season round by round, and `season` plays all of
it, as its format has it (`Format.simulate`). Each knows those before it and none after.
"""
