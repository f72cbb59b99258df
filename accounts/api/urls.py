"""Addresses of people in the API."""

from django.urls import URLPattern

from accounts.api import refusals as _refusals  # noqa: F401  (registers them)

urlpatterns: list[URLPattern] = []
