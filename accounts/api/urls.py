"""Addresses of people in the API."""

from django.urls import path, re_path

from accounts.api.blocks import BlocksView, BlockView
from accounts.api.views import BecomeBotView, MeView, UsersView, UserView

urlpatterns = [
    path("users/", UsersView.as_view(), name="users"),
    re_path(r"^users/(?P<username>[A-Za-z0-9_-]{3,20})/$", UserView.as_view(), name="user"),
    path("me/", MeView.as_view(), name="me"),
    path("me/blocks/", BlocksView.as_view(), name="blocks"),
    re_path(r"^me/blocks/(?P<username>[A-Za-z0-9_-]{3,20})/$", BlockView.as_view(), name="block"),
    path("me/bot/", BecomeBotView.as_view(), name="become_bot"),
]
