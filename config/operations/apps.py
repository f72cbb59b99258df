from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "config.operations"
    label = "operations"

    def ready(self) -> None:
        # Needs the settings, which are there only now.
        from django.core.checks import register  # noqa: PLC0415

        from config.operations.checks import pool_covers_what_is_kept  # noqa: PLC0415

        register(pool_covers_what_is_kept)
