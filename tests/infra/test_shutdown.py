"""A server process that is told to end tells its clients."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from config.shutdown import SERVICE_RESTART, GracefulShutdown
from script.lib.console import ROOT
from script.lib.ports import bind_from, free_port
from script.lib.processes import spawn, stop

COMMANDS = {
    "daphne": ["daphne", "--verbosity", "0"],
    "uvicorn": ["config.serve"],
}


@dataclass
class Echo:
    """A server of our own."""

    child: subprocess.Popen[bytes]
    port: int


@pytest.fixture(params=COMMANDS)
async def echo(request: pytest.FixtureRequest) -> AsyncIterator[Echo]:
    listener, _taken = bind_from("127.0.0.1", free_port())
    with listener:
        child = spawn(
            [sys.executable, "-m", *COMMANDS[request.param], "--fd", str(listener.fileno()),
             "tests.support.echo_app:application"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            pass_fds=[listener.fileno()],
        )  # fmt: skip
        try:
            yield Echo(child, listener.getsockname()[1])
        finally:
            stop(child, signal.SIGKILL, 5)
            assert child.stdout is not None
            child.stdout.close()


async def test_sockets_are_closed_with_service_restart(echo: Echo) -> None:
    sockets = [await connect(f"ws://127.0.0.1:{echo.port}/", open_timeout=60) for _ in range(20)]
    for socket in sockets:
        await socket.send("hello")
        assert await socket.recv() == "hello"
    echo.child.send_signal(signal.SIGTERM)
    for socket in sockets:
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), 30)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == SERVICE_RESTART
    assert await asyncio.to_thread(echo.child.wait, 30) == 0


async def test_a_request_under_way_is_answered_first(echo: Echo) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        pending = asyncio.ensure_future(client.get(f"http://127.0.0.1:{echo.port}/"))
        assert echo.child.stdout is not None
        lines = {await asyncio.to_thread(echo.child.stdout.readline) for _ in range(2)}
        assert lines == {b"opened\n", b"asked\n"}
        echo.child.send_signal(signal.SIGTERM)
        answer = await pending
    assert (answer.status_code, answer.text) == (200, "done")
    assert await asyncio.to_thread(echo.child.wait, 30) == 0
    assert b"ended" in (await asyncio.to_thread(echo.child.stdout.read)).splitlines()


async def test_new_sockets_are_refused_while_closing() -> None:
    sent: list[dict[str, object]] = []

    async def never(*_arguments: object) -> None:
        raise AssertionError("the application must not be asked")

    async def receive() -> dict[str, object]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    server = GracefulShutdown(never)
    await server.close()
    await server({"type": "websocket"}, receive, send)  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": SERVICE_RESTART}]


async def test_a_deaf_application_is_waited_for_only_so_long() -> None:
    async def deaf(*_arguments: object) -> None:
        await asyncio.sleep(30)

    server = GracefulShutdown(deaf)
    running = asyncio.ensure_future(server({"type": "http"}, None, None))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    await asyncio.wait_for(server.close(patience=0.1), 20)
    assert not running.done()
    running.cancel()
