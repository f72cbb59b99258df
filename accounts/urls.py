"""Addresses under /accounts/ that are ours rather than the sign-in library's."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
