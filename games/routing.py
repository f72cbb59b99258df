"""Addresses of sockets."""

from django.urls import path

from games.consumers import LobbySocket, MatchSocket

websocket_urlpatterns = [
    path("ws/v1/matches/<int:match_id>/", MatchSocket.as_asgi()),
    path("ws/v1/lobby/", LobbySocket.as_asgi()),
]
