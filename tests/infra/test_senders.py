"""How many threads of a process may wait for somebody outside."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any

import pytest

from core import senders
from core.senders import Senders

SETTING = "GAUNTLET_MAIL_SENDERS"


def is_free(which: Senders) -> bool:
    with which.one() as free:
        return free


@pytest.mark.parametrize("most", [0, 1, 3])
def test_as_many_as_the_setting_says_and_no_more(settings: Any, most: int) -> None:
    settings.GAUNTLET_MAIL_SENDERS = most
    own = Senders(SETTING)
    with ExitStack() as stack:
        for _ in range(most):
            assert stack.enter_context(own.one())
        # Who is refused takes nothing, and gives nothing back.
        assert [is_free(own), is_free(own)] == [False, False]
        assert own.busy == most
    assert own.busy == 0
    assert is_free(own) is (most > 0)


def test_a_setting_holds_from_when_it_changes(settings: Any) -> None:
    settings.GAUNTLET_MAIL_SENDERS = 1
    own = Senders(SETTING)
    with own.one() as free:
        assert free
        assert not is_free(own)
        settings.GAUNTLET_MAIL_SENDERS = 2
        assert is_free(own)
    settings.GAUNTLET_MAIL_SENDERS = 0
    assert not is_free(own)


def test_who_fails_is_out_again(settings: Any) -> None:
    settings.GAUNTLET_MAIL_SENDERS = 1
    own = Senders(SETTING)
    with pytest.raises(ZeroDivisionError), own.one():
        raise ZeroDivisionError
    assert is_free(own)


def test_of_two_at_the_same_moment_one_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread asks while this one is still counting."""
    own = Senders(SETTING)
    was_free: list[bool] = []
    over = threading.Event()

    def stay() -> None:
        with own.one() as free:
            was_free.append(free)
            over.wait()

    other = threading.Thread(target=stay)

    class Settings:
        @property
        def GAUNTLET_MAIL_SENDERS(self) -> int:  # noqa: N802
            if other.ident is None:
                other.start()
                # It waits until this one has counted; without a lock it is through by then.
                other.join(0.2)
            return 1

    monkeypatch.setattr(senders, "settings", Settings())
    with own.one() as free:
        over.set()
        other.join()
        assert [free, *was_free] == [True, False]
    assert own.busy == 0
