from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        # These need the models, which are there only now.
        from accounts import merging  # noqa: PLC0415
        from games.hooks import match_ended  # noqa: PLC0415
        from tournaments import receivers  # noqa: PLC0415
        from tournaments.services.contestants import contestancies_merge  # noqa: PLC0415

        match_ended.connect(receivers.on_match_ended, dispatch_uid="tournaments.match_ended")
        merging.register("tournaments", contestancies_merge)
