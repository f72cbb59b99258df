"""Who opens what stays open: sockets and streams.

- `sockets`: whose a socket is, by a session or a token
- `validity`: whether the sign-in that something was opened with still stands
"""
