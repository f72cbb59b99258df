"""TCP ports on this machine."""

import errno
import socket

LAST_PORT = 65_535
TRIES = 200


def free_port(host: str = "127.0.0.1") -> int:
    """Return a port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def bind_from(host: str, wanted: int) -> tuple[socket.socket, list[int]]:
    """Bind the first free port from `wanted` upwards and keep it.

    Returns the bound socket, not yet listening, and the ports found taken on the way. Holding the
    socket, rather than a number, means that nobody can take the port between the check and its
    use. Raises OSError when the host is not ours, the port is reserved to root, or none is free.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken: list[int] = []
    for port in range(wanted, min(wanted + TRIES, LAST_PORT) + 1):
        listener = socket.socket(family, socket.SOCK_STREAM)
        # Without it, connections of a server stopped a moment ago would block the port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(1024)
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise
            taken.append(port)
        else:
            return listener, taken
    raise OSError(errno.EADDRINUSE, f"No free port between {wanted} and {wanted + TRIES}")
