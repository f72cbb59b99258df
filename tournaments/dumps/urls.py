"""Addresses of the exports."""

from django.urls import path

from tournaments.dumps import views

app_name = "exports"

urlpatterns = [
    path("", views.exports_page, name="index"),
    path("<str:name>", views.dump_file, name="dump"),
]
