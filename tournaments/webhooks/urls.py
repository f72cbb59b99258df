"""Addresses of a season's webhooks, below `/seasons/<slug>/webhooks/`."""

from django.urls import path

from tournaments.webhooks import views

urlpatterns = [
    path("", views.webhook_list, name="webhooks"),
    path("new/", views.webhook_new, name="webhook_new"),
    path("<int:webhook_id>/", views.webhook_page, name="webhook"),
    path("<int:webhook_id>/edit/", views.webhook_edit, name="webhook_edit"),
    path("<int:webhook_id>/test/", views.webhook_test_view, name="webhook_test"),
    path("<int:webhook_id>/rotate/", views.webhook_rotate_view, name="webhook_rotate"),
    path("<int:webhook_id>/switch/", views.webhook_switch, name="webhook_switch"),
    path("<int:webhook_id>/delete/", views.webhook_delete_view, name="webhook_delete"),
    path("<int:webhook_id>/deliveries/<uuid:uid>/", views.delivery_page, name="delivery"),
    path("<int:webhook_id>/deliveries/<uuid:uid>/redeliver/", views.redeliver, name="redeliver"),
]
