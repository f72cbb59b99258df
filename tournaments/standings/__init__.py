"""Standings: declared metrics, and the table that an order of them makes of some results.

Pure, like the rules of formats: no database, no clock, no chance. All values are whole numbers.
"""

from tournaments.standings.metrics import METRICS
from tournaments.standings.table import Row, StandingsTable, standings

__all__ = ["METRICS", "Row", "StandingsTable", "standings"]
