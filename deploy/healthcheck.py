"""Ask the web process on this machine whether it is well, as the proxy's requests come to it; the
exit status is 0 where it is. Needs nothing but Python."""

import http.client
import os
import sys

PATIENCE = 10  # seconds


def is_well(host: str, port: int) -> bool:
    """Whether `/healthz` answers 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        # The site answers to its own name alone, and to whoever came by HTTPS.
        connection.request("GET", "/healthz", headers={"Host": host, "X-Forwarded-Proto": "https"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    asked = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip()
    sys.exit(0 if is_well(asked, int(sys.argv[1])) else 1)
