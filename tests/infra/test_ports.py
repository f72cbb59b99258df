"""Choosing ports."""

import errno
import os
import socket

import pytest

from script.lib.ports import bind_from, free_port


def test_a_free_port_is_taken_as_wanted() -> None:
    wanted = free_port()
    listener, taken = bind_from("127.0.0.1", wanted)
    with listener:
        assert (listener.getsockname()[1], taken) == (wanted, [])


def test_taken_ports_are_named_and_passed_over() -> None:
    wanted = free_port()
    first, _ = bind_from("127.0.0.1", wanted)
    second, taken = bind_from("127.0.0.1", wanted)
    with first, second:
        assert taken[0] == wanted
        assert second.getsockname()[1] > wanted


def test_the_bound_port_already_takes_connections() -> None:
    """So a restarting server behind it makes clients wait and does not refuse them."""
    listener, _ = bind_from("127.0.0.1", free_port())
    with listener, socket.create_connection(listener.getsockname(), timeout=1):
        pass


def test_no_free_port_up_to_the_last_is_an_error() -> None:
    try:
        last, _ = bind_from("127.0.0.1", 65_535)
    except OSError:
        pytest.skip("the last port is somebody else's")
    with last, pytest.raises(OSError, match="No free port") as error:
        bind_from("127.0.0.1", 65_535)
    assert error.value.errno == errno.EADDRINUSE


@pytest.mark.skipif(os.geteuid() == 0, reason="root may bind any port")
def test_a_reserved_port_is_refused_at_once() -> None:
    with pytest.raises(PermissionError):
        bind_from("127.0.0.1", 80)
