"""Addresses of sockets."""

from django.urls import path, re_path

from games.sockets.consumers import EmbeddedSocket, LobbySocket, MatchSocket, NowhereSocket

websocket_urlpatterns = [
    path("ws/v1/matches/<int:match_id>/", MatchSocket.as_asgi()),
    path("ws/v1/embed/matches/<int:match_id>/", EmbeddedSocket.as_asgi()),
    path("ws/v1/lobby/", LobbySocket.as_asgi()),
    re_path("", NowhereSocket.as_asgi()),
]
