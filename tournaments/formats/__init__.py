"""The formats of seasons, each a folder: to seasons what rulesets are to matches.

Each has the same rooms: `options.py`, what its organisers choose, and `rules.py`, who meets whom,
as pure functions over plain values, from which everything (sides of a bracket, the next round, the
order of a ladder) is derived anew each time, so that a corrected result needs no repair.
`registry` lists them.
"""
