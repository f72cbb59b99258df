"""Who meets whom: formats as pure functions over plain values.

No database, no clock and no random generator in here. Whatever a season knows is handed in as
players and results, and everything else (sides of a bracket, the next round, the order of a ladder)
is derived from them again each time, so that a corrected result needs no repair.
"""
