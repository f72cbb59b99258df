"""Addresses of a season's webhooks, below `/seasons/<slug>/webhooks/`."""

from django.urls import path

from tournaments.webhooks import views

app_name = "webhooks"

urlpatterns = [
    path("", views.webhook_list, name="list"),
    path("new/", views.webhook_new, name="new"),
    path("<int:webhook_id>/", views.webhook_page, name="detail"),
    path("<int:webhook_id>/edit/", views.webhook_edit, name="edit"),
    path("<int:webhook_id>/test/", views.webhook_test_view, name="test"),
    path("<int:webhook_id>/rotate/", views.webhook_rotate_view, name="rotate"),
    path("<int:webhook_id>/switch/", views.webhook_switch, name="switch"),
    path("<int:webhook_id>/delete/", views.webhook_delete_view, name="delete"),
    path("<int:webhook_id>/deliveries/<uuid:uid>/", views.delivery_page, name="delivery"),
    path("<int:webhook_id>/deliveries/<uuid:uid>/redeliver/", views.redeliver, name="redeliver"),
]
