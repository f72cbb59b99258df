"""Run by the environment's own Python: bring the database up to date and make the demo data.

One process for both: starting Django costs more than either does when nothing is to be done.
"""

import sys

from django.core.management import execute_from_command_line
from django.db import OperationalError


def main(arguments: list[str]) -> None:
    """Migrate, and load the puzzles that come along; then make the demo data unless told not to,
    printing the accounts. With `--exposed` nobody keeps the password that everybody knows, whoever
    made the demo data, and when."""
    try:
        execute_from_command_line(["manage.py", "migrate", "--no-input", "--verbosity", "0"])
    except OperationalError as error:
        sys.exit(f"The database cannot be used: {error}")
    execute_from_command_line(["manage.py", "puzzles", "--verbosity", "0", "load"])
    exposed = ["--exposed"] if "--exposed" in arguments else []
    if "--no-demo" not in arguments:
        execute_from_command_line(["manage.py", "demo_data", *exposed])
    elif exposed:
        execute_from_command_line(["manage.py", "demo_data", *exposed, "--passwords-only"])


if __name__ == "__main__":
    main(sys.argv[1:])
