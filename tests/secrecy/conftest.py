"""The fixtures of matches serve here too."""

import pytest
from django.middleware import csrf

from tests.games.conftest import ada, ben, cleo, mona, orla, root, set_clock, wire

__all__ = ["ada", "ben", "cleo", "mona", "one_token", "orla", "root", "set_clock", "wire"]


@pytest.fixture
def one_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms have the same token each time."""
    monkeypatch.setattr(csrf, "_mask_cipher_secret", lambda secret: secret)
    monkeypatch.setattr(csrf, "_get_new_csrf_string", lambda: "x" * 32)
