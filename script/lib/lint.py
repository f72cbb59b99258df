"""`script/lint`: everything that reads code without running it."""

import argparse
import os
from collections.abc import Sequence

from script.lib import node
from script.lib.console import ROOT, Failure, say, shout
from script.lib.processes import spawn

# By what they read; each is a program of the environment or, after `node`, a script of a package.
CHECKS = {
    "python": [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy", "."],
        ["lint-imports", "--no-logo", "--no-cache"],
    ],
    "scripts": [
        ["node", "prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."],
        ["node", "eslint/bin/eslint.js", "--max-warnings", "0", "."],
        ["node", "typescript/bin/tsc", "--project", "."],
    ],
}
FIXES = {
    "python": [["ruff", "check", "--fix", "."], ["ruff", "format", "."]],
    "scripts": [
        ["node", "eslint/bin/eslint.js", "--fix", "."],
        ["node", "prettier/bin/prettier.cjs", "--write", "--log-level", "warn", "."],
    ],
}


def main(arguments: Sequence[str]) -> int:
    """Run the checks, all of them even when one fails; return 0 only when each was content."""
    parser = argparse.ArgumentParser(prog="script/lint", description=(__doc__ or "").strip())
    parser.add_argument("what", nargs="*", choices=[[], *CHECKS], help="default: both")
    parser.add_argument("--fix", action="store_true", help="mend what can be mended by itself")
    options = parser.parse_args(arguments)
    try:
        python = node.checkers()
    except Failure as failure:
        shout(str(failure))
        return 1
    chosen = FIXES if options.fix else CHECKS
    failed = []
    for what in options.what or chosen:
        for program, *rest in chosen[what]:
            say(f"==> {' '.join([program, *rest])}")
            if program == "node":
                script, *more = rest
                code = node.run(python, [ROOT / "node_modules" / script, *more])
            else:
                code = spawn([python.parent / program, *rest], env=os.environ, cwd=ROOT).wait()
            if code:
                failed.append(program if program != "node" else rest[0].partition("/")[0])
    if failed:
        shout("FAILED: " + ", ".join(failed))
    return 1 if failed else 0
