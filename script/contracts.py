"""Kinds of import contract that import-linter does not have itself; named in pyproject.toml."""

import re
from typing import cast

from grimp import DetailedImport, ImportGraph
from importlinter import Contract, ContractCheck, output
from importlinter.domain import fields


class ConfinedContract(Contract):
    """Each named package may import, of our own code, itself and the allowed modules only.

    Options: `packages`, where `*` stands for any one name, so that a new folder is covered from its
    first line without being listed anywhere; `allowed`, modules that they and their descendants may
    use.
    """

    packages = fields.ListField(subfield=fields.StringField())
    allowed = fields.ListField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Collect every import that leaves its package for anywhere not allowed."""
        allowed = tuple(str(name) for name in cast(list[str], self.allowed or []))
        broken: list[DetailedImport] = []
        for package in self._modules_in(graph):
            ours = (package, *allowed)
            for module in sorted({package, *graph.find_descendants(package)}):
                for imported in sorted(graph.find_modules_directly_imported_by(module)):
                    if not graph.is_module_squashed(imported) and not _within(imported, ours):
                        broken += graph.get_import_details(importer=module, imported=imported)
        return ContractCheck(kept=not broken, metadata={"broken": broken})

    def _modules_in(self, graph: ImportGraph) -> list[str]:
        wanted = [
            re.compile(re.escape(name).replace(r"\*", r"[^.]+"))
            for name in cast(list[str], self.packages)
        ]
        return sorted(
            module for module in graph.modules if any(each.fullmatch(module) for each in wanted)
        )

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the offending lines."""
        for detail in check.metadata["broken"]:
            output.print_error(
                f"{detail['importer']}:{detail['line_number']}: {detail['line_contents']}"
            )


def _within(module: str, roots: tuple[str, ...]) -> bool:
    return any(module == root or module.startswith(root + ".") for root in roots)
