"""Addresses that Discord asks."""

from django.urls import path

from tournaments.discord import views

app_name = "discord"
urlpatterns = [path("interactions/", views.interactions, name="interactions")]
