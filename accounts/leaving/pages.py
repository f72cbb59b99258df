"""Pages: one's own data to take along, and the account to be deleted."""

from __future__ import annotations

import asyncio
import tempfile
import zipfile
from collections.abc import AsyncIterator
from typing import IO, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.leaving.export import document, export_record, files_of, must_be_exportable
from accounts.leaving.services import WAIT, deletion_ask, deletion_cancel, must_be_deletable
from accounts.models import AccountDeletion, User
from accounts.signin.recent import recently_confirmed, typed_before
from core.refusals import FORM_REFUSED, Refusal, refusal_of
from core.streaming import give_back_database

_PIECE: Final = 64 * 1024
_IN_MEMORY: Final = 4 * 1024 * 1024


@never_cache
@login_required
@require_safe
def data_page(request: HttpRequest) -> HttpResponse:
    """What can be taken along, and where the account is deleted."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    context = {"refused": refusal_of(must_be_exportable, user)}
    return render(request, "accounts/data.html", context)


@never_cache
@login_required
@require_POST
@recently_confirmed(back="accounts:data")
def export_page(request: HttpRequest) -> HttpResponseBase:
    """One's data as a file: a zip with a JSON document, and the records of one's matches."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    file = None
    try:
        must_be_exportable(user)
        file = _file_of(user)
        # What could not be made has been taken by nobody.
        export_record(acting_user=user)
    except Refusal as refusal:
        if file is not None:
            file.close()
        messages.warning(request, refusal.sentence)
        return redirect("accounts:data")
    response = StreamingHttpResponse(_pieces(file), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="gauntlet-{user.username}.zip"'
    give_back_database()
    return response


def _file_of(user: User) -> IO[bytes]:
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  (closed by `_pieces`)
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("account.json", "w", force_zip64=True) as member:
                for piece in document(user):
                    member.write(piece)
            for path, content in files_of(user):
                archive.writestr(path, content)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


async def _pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    # Asynchronous, because Django would read a synchronous iterator into memory first.
    try:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
    finally:
        file.close()


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def deletion_page(request: HttpRequest) -> HttpResponseBase:
    """What goes and what stays, and asking for it; while it waits, keeping the account. Only asking
    for it wants to know that it is they."""
    if request.method != "POST":
        return _shown(request)
    return _kept(request) if "keep" in request.POST else _asked_for(request)


def _kept(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  (login_required; for the type checker)
    try:
        deletion_cancel(acting_user=request.user)
    except Refusal as refusal:
        messages.warning(request, refusal.sentence)
    else:
        messages.success(request, "Your account stays.")
    return redirect("accounts:deletion")


@recently_confirmed(keeps=["username"])
def _asked_for(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    fault = _must_be_meant(request, user)
    if fault:
        return _shown(request, fault, FORM_REFUSED)
    try:
        deletion_ask(acting_user=user)
    except Refusal as refusal:
        return _shown(request, refusal.sentence, refusal.form_status)
    return redirect("accounts:deletion")


def _shown(request: HttpRequest, fault: str = "", status: int = 200) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)  # noqa: S101  (login_required; for the type checker)
    context = {
        "asked": AccountDeletion.objects.filter(user=user).first(),
        "refused": refusal_of(must_be_deletable, user),
        "typed": typed_before(request).get("username", ""),
        "fault": fault,
        "days": WAIT.days,
    }
    return render(request, "accounts/deletion.html", context, status=status)


def _must_be_meant(request: HttpRequest, user: User) -> str:
    """A sentence where the name was not written down with it."""
    given = User.normalize_username(str(request.POST.get("username", "")).strip().lstrip("@"))
    return "" if given == user.username else "Please write your username there, as it stands above."
