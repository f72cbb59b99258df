"""The zip that a season travels as: its document, and the record of every match."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import Final

from django.conf import settings

from core.refusals import Refusal
from games.engine import records

DOCUMENT: Final = "season.json"
RECORDS: Final = "records/"
FILES_MAX: Final = 20_000
# In what pieces a zip's members are inflated, in bytes: no more than that is too much at once.
PIECE: Final = 64 * 1024
COMPRESSIONS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# Of an entry in a zip's directory. Each costs memory before any of it can be looked at.
ENTRY_MARK: Final = b"PK\x01\x02"
# What reading a zip raises that is damaged, encrypted or made to mislead.
UNREADABLE: Final = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError,
    RuntimeError, ValueError, OverflowError,
)  # fmt: skip


def record_name(number: int) -> str:
    """Where in the zip the record of a match is."""
    return f"{RECORDS}{number}{records.SUFFIX}"


# -- out -----------------------------------------------------------------------------------------


def packed(document: bytes, records_made: Iterable[tuple[int, bytes]]) -> bytes:
    """The zip of a document and of records with the numbers of their matches."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        _add_file(archive, DOCUMENT, document)
        for number, data in records_made:
            _add_file(archive, record_name(number), data)
    return out.getvalue()


def _add_file(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    # With a fixed date, so that the same season gives the same zip.
    info = zipfile.ZipInfo(name, date_time=(2000, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)


# -- in ------------------------------------------------------------------------------------------


def unpacked(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The document and the other files of a zip; a file that is no zip is the document.

    Raises Refusal ``document.too-large`` and ``document.malformed``.
    """
    most = settings.GAUNTLET_SEASON_MAX_BYTES
    if len(data) > most:
        raise _too_large()
    if not data.startswith(b"PK"):
        return data, {}
    if data.count(ENTRY_MARK) > FILES_MAX:
        raise _too_large()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = _inflate(archive, most)
    except UNREADABLE as error:
        raise Refusal("document.malformed", f"This zip cannot be read: {error}.") from None
    if DOCUMENT not in files:
        raise Refusal("document.malformed", f"There is no {DOCUMENT} in this zip.")
    return files.pop(DOCUMENT), files


def _inflate(archive: zipfile.ZipFile, most: int) -> dict[str, bytes]:
    """The files of a zip, at most so many bytes of all of them together. What a zip says of its
    sizes may be wrong, so that what comes out is counted too."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > FILES_MAX or sum(info.file_size for info in infos) > most:
        raise _too_large()
    if len({info.filename for info in infos}) < len(infos):
        raise Refusal("document.malformed", "Two files in this zip have the same name.")
    files: dict[str, bytes] = {}
    for info in infos:
        if info.compress_type not in COMPRESSIONS:
            raise Refusal(
                "document.malformed", f"{info.filename} is compressed by an unknown method."
            )
        whole = bytearray()
        with archive.open(info) as member:
            while piece := member.read(PIECE):
                whole += piece
                most -= len(piece)
                if most < 0:
                    raise _too_large()
        files[info.filename] = bytes(whole)
    return files


def _too_large() -> Refusal:
    return Refusal("document.too-large", "This file is too large for a season.")
