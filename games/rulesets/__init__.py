"""The rulesets. Adding one means adding its folder here and one line to the registry."""

from games.engine.registry import Registry
from games.rulesets.domain import Domain
from games.rulesets.domino_black_white import DominoBlackWhite
from games.rulesets.domino_wars import DominoWars
from games.rulesets.peg_domain import PegDomain
from games.rulesets.tetronogo import Tetronogo

REGISTRY = Registry(
    DominoBlackWhite(),
    DominoWars(),
    Tetronogo(),
    Domain(),
    PegDomain(),
)
