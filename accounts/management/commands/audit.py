"""`manage.py audit`: the chain over the audit log."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.auditing.chain import Head, head_of
from accounts.auditing.sealing import (
    audit_accept_late,
    audit_check,
    audit_fault,
    audit_head,
    audit_lines,
    audit_seal,
)


def _head(text: str) -> Head:
    return head_of(text)


class Command(BaseCommand):
    help = "Look over the chain of the audit log, or print its head. See docs/audit.md."

    def add_arguments(self, parser: CommandParser) -> None:
        parts = parser.add_subparsers(dest="what", required=True)
        verify = parts.add_parser("verify", help="go over the whole chain; status 1: it is broken")
        verify.add_argument(
            "--head",
            action="append",
            default=[],
            type=_head,
            metavar="PLACE:DIGEST",
            help="a head that was kept elsewhere, through which the chain must go; several may be",
        )
        verify.add_argument(
            "--after", type=int, default=0, metavar="PLACE", help="begin behind this place"
        )
        parts.add_parser("head", help="seal what is to be sealed, and print the head, to be kept")
        parts.add_parser("seal", help="put the entries that are not in the chain at its end")
        parts.add_parser("export", help="print the chain, a line of JSON for each link")
        late = parts.add_parser(
            "accept-late", help="seal entries that came too late, for a reason that is written down"
        )
        late.add_argument("words", help="why that is all right")

    def handle(self, *_args: Any, what: str, **options: Any) -> None:
        """Do it. Raises CommandError where the chain does not hold."""
        getattr(self, f"_{what.replace('-', '_')}")(options)

    def _verify(self, options: dict[str, Any]) -> None:
        if options["head"] or options["after"]:
            # What is asked for in part, or of a head that somebody may have mistyped, is told to
            # whoever asks: it raises no alarm, and ends none.
            audit_seal(everything=True)
            head, fault = audit_fault(kept=options["head"], after=options["after"])
            said = str(fault or "")
        else:
            check = audit_check()
            head, said = Head(check.position, check.digest), check.fault
        if said:
            raise CommandError(f"{said} It holds up to place {head.position}.")
        behind = f" behind place {options['after']}" if options["after"] else ""
        self.stdout.write(f"All {head.position - options['after']} entries{behind} hold.")
        self.stdout.write(str(head))

    def _head(self, _options: dict[str, Any]) -> None:
        audit_seal()
        self.stdout.write(str(audit_head()))

    def _seal(self, _options: dict[str, Any]) -> None:
        self.stdout.write(f"{audit_seal(everything=True)} entries were sealed.")

    def _export(self, _options: dict[str, Any]) -> None:
        for line in audit_lines():
            self.stdout.write(line)

    def _accept_late(self, options: dict[str, Any]) -> None:
        numbers = audit_accept_late(words=options["words"])
        self.stdout.write(f"{len(numbers)} entries were sealed late: {numbers}")
