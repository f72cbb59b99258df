from django.apps import AppConfig


class GamesConfig(AppConfig):
    name = "games"

    def ready(self) -> None:
        # These need the models, which are there only now.
        from django.contrib.auth.signals import user_logged_out  # noqa: PLC0415
        from django.utils.autoreload import autoreload_started  # noqa: PLC0415

        from accounts.announcing.kinds import declare  # noqa: PLC0415
        from accounts.hooks import (  # noqa: PLC0415
            account_closed,
            account_suspended,
            announced,
            guest_joined,
            person_blocked,
            rights_changed,
            writing_changed,
        )
        from accounts.leaving import export, kept, parts  # noqa: PLC0415
        from accounts.profile import register_section  # noqa: PLC0415
        from accounts.tokens.services import register_bot_check  # noqa: PLC0415
        from core import compiled  # noqa: PLC0415
        from games import (  # noqa: PLC0415
            announcements,
            embeds,
            extras,
            hooks,
            moderation,
            own_data,
            receivers,
        )
        from games.puzzles import pages as puzzles  # noqa: PLC0415
        from games.ratings import pages  # noqa: PLC0415
        from games.ratings import tasks as ratings  # noqa: PLC0415
        from games.reading import hosting, missed, profiles  # noqa: PLC0415
        from games.services import leaving  # noqa: PLC0415
        from games.views.embeds import match_embedded  # noqa: PLC0415

        declare(*announcements.KINDS)
        announced.connect(receivers.on_announced, dispatch_uid="games.announced")
        register_section(pages.ratings_section, order=5)
        register_section(profiles.match_history, order=10)
        register_section(puzzles.puzzles_section, order=15)
        extras.register_home_section(puzzles.daily_section, first=True)
        user_logged_out.connect(receivers.on_signed_out, dispatch_uid="games.signed_out")
        hooks.match_ended.connect(ratings.on_match_ended, dispatch_uid="games.ratings.match_ended")
        account_closed.connect(receivers.on_account_closed, dispatch_uid="games.account_closed")
        account_suspended.connect(
            receivers.on_account_suspended, dispatch_uid="games.account_suspended"
        )
        guest_joined.connect(receivers.on_guest_joined, dispatch_uid="games.guest_joined")
        person_blocked.connect(receivers.on_person_blocked, dispatch_uid="games.person_blocked")
        autoreload_started.connect(compiled.watch, dispatch_uid="games.compiled")
        moderation.register()
        parts.register(
            "games",
            leaving.matches_erase,
            known=leaving.names_written,
            obstacle=leaving.must_not_play,
        )
        kept.declare(own_data.DECISIONS)
        export.register_section("matches", own_data.matches_of)
        export.register_files("records", own_data.records_of)
        extras.register_waiting(missed.missed_ends)
        extras.register_waiting(hosting.invitations)
        extras.register_banner(hosting.banner)
        embeds.register_finder(match_embedded)
        rights_changed.connect(receivers.on_rights_changed, dispatch_uid="games.rights_changed")
        writing_changed.connect(receivers.on_writing_changed, dispatch_uid="games.writing_changed")
        register_bot_check(receivers.must_never_have_played)
