"""The formats of this project. Adding one means adding its folder here, and a line."""

from tournaments.formats.elimination.format import FORMAT as ELIMINATION
from tournaments.formats.ladder.format import FORMAT as LADDER
from tournaments.formats.round_robin.format import FORMAT as ROUND_ROBIN
from tournaments.formats.single_elimination.format import FORMAT as SINGLE_ELIMINATION
from tournaments.formats.swiss.format import FORMAT as SWISS

INSTALLED = (ELIMINATION, SINGLE_ELIMINATION, ROUND_ROBIN, SWISS, LADDER)
