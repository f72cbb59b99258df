from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "core.jobs"
    label = "jobs"
    verbose_name = "Periodic jobs"
    default_auto_field = "django.db.models.BigAutoField"
