"""The page on which a `Rehearsal` is seen and played: for whoever sits at this machine, and nobody
else. It is served beside Discord's API, from the same port."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import quote, urlsplit

import msgspec

from tournaments.discord.fake.held import Request
from tournaments.discord.fake.people import Application
from tournaments.discord.fake.rehearsal import Act, Invited, Rehearsal, pairs
from tournaments.discord.fake.server import BASE, Handler, Server, serving

FOLDER: Final = Path(__file__).parent / "page"
FILES: Final = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/chat.css": ("chat.css", "text/css; charset=utf-8"),
    "/chat.js": ("chat.js", "text/javascript; charset=utf-8"),
}
BODY_MOST: Final = 64 * 1024
PICTURES: Final = {".png": "image/png"}
AUTHORIZE: Final = "/oauth2/authorize"
Answer = tuple[int, bytes, dict[str, str]]


class PageHandler(Handler):
    """One connection."""

    @property
    def rehearsal(self) -> Rehearsal:
        """What is played."""
        return cast("PageServer", self.server).rehearsal

    def answered(self, request: Request) -> Answer:
        """The answer to the site, or to whoever sits here. Another host's name is refused, by which
        pages of others could reach this one, and what other pages send."""
        # What tests look at; here it would grow for as long as somebody plays.
        del self.server.fake.requests[:-100]
        port = self.server.server_address[1]
        hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if request.headers.get("host") not in hosts:
            return self._text(403, "This is not the address of this page.")
        path = urlsplit(request.path).path
        if path.startswith(BASE + "/"):
            status, said, more = self.rehearsal.answer(request)
            return status, b"" if said is None else json.dumps(said).encode(), more
        if request.method == "POST":
            if request.headers.get("origin") not in {f"http://{host}" for host in hosts}:
                return self._text(403, "This was sent by another page.")
            if len(request.body) > BODY_MOST:
                return self._text(413, "This is too long.")
        try:
            return self._page(request, path)
        except (LookupError, ValueError, msgspec.MsgspecError):
            return self._text(400, "There is no such thing.")

    def _page(self, request: Request, path: str) -> Answer:
        query = pairs(urlsplit(request.path).query.encode())
        if request.method == "GET" and path in FILES:
            name, kind = FILES[path]
            return self._sent(200, (FOLDER / name).read_bytes(), kind)
        if request.method == "GET" and path.startswith("/files/"):
            _, _, number, name = path.split("/", 3)
            content = {quote(n): c for n, c in self.rehearsal.message(number).files.items()}[name]
            kind = PICTURES.get(Path(name).suffix, "application/octet-stream")
            return self._sent(200, content, kind)
        found: dict[tuple[str, str], Callable[[], Any]] = {
            ("GET", "/state"): lambda: self.rehearsal.state(query.get("as", "")),
            ("POST", "/act"): lambda: self.rehearsal.act(
                msgspec.json.decode(request.body, type=Act)
            ),
            ("POST", "/check"): self.rehearsal.check,
        }
        if (request.method, path) in found:
            said = found[request.method, path]()
            return self._sent(200, json.dumps(said).encode(), "application/json")
        if path == AUTHORIZE:
            return self._ask(query) if request.method == "GET" else self._led(pairs(request.body))
        return self._text(404, "There is nothing here.")

    # -- signing in ------------------------------------------------------------------------------

    def _ask(self, query: dict[str, str]) -> Answer:
        """The page on which somebody says who they are, and lets the site in."""
        if "bot" in query.get("scope", "").split():
            return self._text(200, "The bot is in the server already, with all that it needs.")
        if refusal := self.rehearsal.signin.refusal(query):
            self.rehearsal.fault(AUTHORIZE, 400, {"message": refusal})
            return self._text(400, refusal)
        buttons = "".join(
            f'<button name="as" value="{html.escape(number)}">'
            f"Authorise as {html.escape(account.global_name or account.username)}</button>"
            for number, account in self.rehearsal.accounts.items()
        )
        page = (FOLDER / "authorize.html").read_text()
        held = {
            "SCOPE": html.escape(query["scope"]),
            "QUERY": html.escape(json.dumps(query)),
            "BUTTONS": buttons,
        }
        for name, text in held.items():
            page = page.replace(f"<!--{name}-->", text)
        return self._sent(200, page.encode(), FILES["/"][1])

    def _led(self, form: dict[str, str]) -> Answer:
        query = msgspec.json.decode(form["query"], type=dict[str, str])
        signin = self.rehearsal.signin
        if refusal := signin.refusal(query):
            return self._text(400, refusal)
        who = form.get("as", "")
        there = signin.let_in(query, self.rehearsal.accounts[who]) if who else None
        status, body, headers = self._text(302, "")
        return status, body, headers | {"Location": there or signin.keep_out(query)}

    # -- answers ---------------------------------------------------------------------------------

    def _text(self, status: int, text: str) -> Answer:
        return self._sent(status, text.encode(), "text/plain; charset=utf-8")

    def _sent(self, status: int, content: bytes, kind: str) -> Answer:
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
            # Who says yes is led on to the site.
            f"form-action 'self' {' '.join(self.rehearsal.origins)}"
        )
        return status, content, {
            "Content-Type": kind, "Content-Security-Policy": policy, "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        }  # fmt: skip


class PageServer(Server):
    """Answers for a rehearsal, on this machine alone."""

    def __init__(self, rehearsal: Rehearsal, port: int) -> None:
        super().__init__(rehearsal.fake, port, PageHandler)
        self.rehearsal = rehearsal


@contextmanager
def rehearsing(
    site: str, invited: Iterable[Invited], application: Application, port: int = 0
) -> Iterator[Rehearsal]:
    """A rehearsal for the site at that address, for as long as the context lasts."""
    rehearsal = Rehearsal(site, invited, application)
    with serving(PageServer(rehearsal, port)):
        yield rehearsal
