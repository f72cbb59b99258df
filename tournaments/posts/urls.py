"""Addresses of a season's channel in Discord, below `/seasons/<slug>/discord/`."""

from django.urls import path

from tournaments.posts import views

app_name = "posts"

urlpatterns = [
    path("", views.channel_page, name="channel"),
    path("connect/", views.channel_connect, name="connect"),
    path("edit/", views.channel_edit, name="edit"),
    path("test/", views.channel_test, name="test"),
    path("check/", views.channel_check, name="check"),
    path("switch/", views.channel_switch, name="switch"),
    path("disconnect/", views.channel_disconnect, name="disconnect"),
]
