"""Whether code of the release before goes on working while a migration is applied, and after it.

In a rolling deploy the migrations of the new release are applied first, while every process of the
old one runs and goes on running. So what they take away must no longer be used by the old release:
a column goes one release after the code that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from django.contrib.postgres import operations as postgres
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models.constraints import CheckConstraint

Node = tuple[str, str]

GONE: Final = "code of the release before still uses it"
LOCKED: Final = "writes wait while rows are looked through: make it concurrently, on its own"
STRICT: Final = "code of the release before may write what it forbids"
UNKNOWN: Final = "nobody has said what it does to code of the release before"

# What never reaches the database, or takes nothing from anybody.
_HARMLESS = (
    migrations.AlterModelManagers, migrations.AlterModelOptions, migrations.AlterModelTableComment,
    migrations.RemoveIndex, migrations.RenameIndex, postgres.AddIndexConcurrently,
    postgres.RemoveIndexConcurrently, postgres.ValidateConstraint,
)  # fmt: skip
_TAKES_AWAY = (
    migrations.RemoveField, migrations.RenameField, migrations.AlterModelTable,
)  # fmt: skip
_IN_PYTHON = {*models.Field.non_db_attrs, "default", "auto_now", "auto_now_add"} - {"db_column"}


class Danger(NamedTuple):
    """One operation that old code may not survive: of which migration, what it is, and why."""

    node: Node
    operation: str
    why: str


class Reader:
    """Reads migrations in their order, from a state that the release before knows."""

    def __init__(self, state: ProjectState) -> None:
        self.state = state
        # Tables that the release before does not know, and so cannot miss.
        self.fresh: set[tuple[str, str]] = set()

    def read(self, node: Node, operations: Sequence[Operation]) -> Iterator[Danger]:
        """What is dangerous in one migration."""
        app = node[0]
        for operation in operations:
            for each in _in_the_database(operation):
                why = self._danger(app, each)
                if why:
                    yield Danger(node, each.describe(), why)
            operation.state_forwards(app, self.state)

    def _danger(self, app: str, operation: Any) -> str:
        if isinstance(operation, migrations.CreateModel):
            self.fresh.add((app, operation.name_lower))
            return ""
        if isinstance(operation, _HARMLESS):
            return ""
        if isinstance(operation, (migrations.DeleteModel, migrations.RenameModel)):
            return GONE
        name = getattr(operation, "model_name", None) or getattr(operation, "name", "")
        if (app, str(name).lower()) in self.fresh:
            return ""
        if isinstance(operation, _TAKES_AWAY):
            return GONE
        if isinstance(operation, migrations.AddField):
            return _of_added(operation.field)
        if isinstance(operation, migrations.AlterField):
            before = self.state.models[app, operation.model_name_lower].fields[operation.name]
            return _of_altered(before, operation.field)
        if isinstance(operation, migrations.RemoveConstraint):
            options = self.state.models[app, operation.model_name_lower].options["constraints"]
            found = next(each for each in options if each.name == operation.name)
            # `ON CONFLICT` names it, and services count on it.
            return "" if isinstance(found, CheckConstraint) else GONE
        if isinstance(operation, migrations.AddIndex):
            return LOCKED
        if isinstance(operation, migrations.AddConstraint):
            return STRICT
        return UNKNOWN


def _in_the_database(operation: Operation) -> Iterator[Operation]:
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        for each in operation.database_operations:
            yield from _in_the_database(each)
    else:
        yield operation


def _of_added(field: Any) -> str:
    if field.many_to_many or field.null or field.has_db_default() or field.generated:
        return LOCKED if field.unique or (field.db_index and not field.many_to_many) else ""
    return "code of the release before inserts rows without it: it needs a `db_default`"


def _of_altered(before: Any, after: Any) -> str:
    _, old_path, _, old = before.deconstruct()
    _, new_path, _, new = after.deconstruct()
    changed = {key for key in {*old, *new} - _IN_PYTHON if old.get(key, ...) != new.get(key, ...)}
    if old_path != new_path or "db_column" in changed:
        return GONE
    if "null" in changed:
        if not after.null:
            return STRICT
        changed.discard("null")
    if "max_length" in changed:
        if (after.max_length or 1 << 30) < (before.max_length or 1 << 30):
            return STRICT
        changed.discard("max_length")
    if "db_default" in changed and after.has_db_default():
        changed.discard("db_default")
    if "db_index" in changed and not after.db_index:
        changed.discard("db_index")
    if changed & {"unique", "db_index"}:
        return LOCKED
    return UNKNOWN if changed else ""


def newer_than(known: frozenset[Node]) -> Iterator[Danger]:
    """What is dangerous in the migrations that a release does not know."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    order: list[Node] = []
    for leaf in sorted(loader.graph.leaf_nodes()):
        order += [node for node in loader.graph.forwards_plan(leaf) if node not in order]
    reader = Reader(ProjectState(real_apps=loader.unmigrated_apps))
    for node in order:
        migration = loader.graph.nodes[node]
        if node in known:
            reader.state = migration.mutate_state(reader.state, preserve=False)
    for node in order:
        if node not in known:
            yield from reader.read(node, loader.graph.nodes[node].operations)


def every_node() -> frozenset[Node]:
    """All migrations that there are."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.nodes)
