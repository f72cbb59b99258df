from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "config.operations"
    label = "operations"

    def ready(self) -> None:
        # These need the models.
        from config import reports  # noqa: PLC0415
        from config.operations import exposition, standing, tasks  # noqa: PLC0415

        exposition.install()
        standing.install()
        tasks.install()
        reports.install()
