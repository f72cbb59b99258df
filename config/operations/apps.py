from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "config.operations"
    label = "operations"

    def ready(self) -> None:
        # These need the models and the settings, which are there only now.
        from django.core.checks import register  # noqa: PLC0415

        from config import reports  # noqa: PLC0415
        from config.operations import exposition, standing, tasks  # noqa: PLC0415
        from config.operations.checks import (  # noqa: PLC0415
            pool_covers_what_is_kept,
            role_does_no_more,
            somebody_hears_of_holes,
        )

        exposition.install()
        standing.install()
        tasks.install()
        reports.install()
        register(pool_covers_what_is_kept)
        register(role_does_no_more, deploy=True)
        register(somebody_hears_of_holes, deploy=True)
