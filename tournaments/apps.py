from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    name = "tournaments"

    def ready(self) -> None:
        # These need the models, which are there only now.
        from accounts.announcing.kinds import declare  # noqa: PLC0415
        from accounts.hooks import (  # noqa: PLC0415
            account_closed,
            account_merged,
            account_reopened,
            discord_linked,
            discord_unlinked,
            rights_changed,
        )
        from accounts.leaving import kept, parts  # noqa: PLC0415
        from accounts.moderation import merging  # noqa: PLC0415
        from accounts.roles import register_kept  # noqa: PLC0415
        from games.demo import register_demo  # noqa: PLC0415
        from games.hooks import (  # noqa: PLC0415
            match_begun,
            match_ended,
            match_reminded,
            match_turned,
        )
        from tournaments import (  # noqa: PLC0415
            announcements,
            audience,
            leaving,
            moderation,
            notices,
            own_data,
            receivers,
        )
        from tournaments.documents import holding  # noqa: PLC0415
        from tournaments.formats import installed, registry  # noqa: PLC0415
        from tournaments.hooks import season_happened  # noqa: PLC0415
        from tournaments.pictures import reader  # noqa: PLC0415
        from tournaments.posts import receivers as posts  # noqa: PLC0415
        from tournaments.posts.outbox import posts_write  # noqa: PLC0415
        from tournaments.services.contestants.merging import (  # noqa: PLC0415
            contestancies_merge,
            organises_seasons,
        )
        from tournaments.services.contestants.places import places_fill  # noqa: PLC0415
        from tournaments.services.events import register_writer  # noqa: PLC0415
        from tournaments.services.items.gifts import season_gifts_reveal  # noqa: PLC0415
        from tournaments.services.seasons import on_places_changed, on_season_over  # noqa: PLC0415
        from tournaments.simulation import demo  # noqa: PLC0415
        from tournaments.webhooks import following  # noqa: PLC0415
        from tournaments.webhooks.outbox import deliveries_write  # noqa: PLC0415

        declare(*announcements.KINDS)
        registry.register(*installed.INSTALLED)
        match_begun.connect(receivers.on_match_begun, dispatch_uid="tournaments.match_begun")
        match_ended.connect(receivers.on_match_ended, dispatch_uid="tournaments.match_ended")
        season_happened.connect(
            receivers.on_season_happened, dispatch_uid="tournaments.season_happened"
        )
        rights_changed.connect(
            receivers.on_rights_changed, dispatch_uid="tournaments.rights_changed"
        )
        account_closed.connect(
            receivers.on_account_closed, dispatch_uid="tournaments.account_closed"
        )
        register_writer(deliveries_write)
        register_writer(notices.notices_write)
        register_writer(posts_write)
        on_places_changed(places_fill)
        on_season_over(season_gifts_reveal)
        holding.register_reader(reader.season_shown)
        match_turned.connect(following.on_turn, dispatch_uid="tournaments.webhooks.turn")
        match_reminded.connect(following.on_reminder, dispatch_uid="tournaments.webhooks.clock")
        following.register_listeners(posts.channels_listening)
        match_turned.connect(posts.on_turn, dispatch_uid="tournaments.posts.turn")
        match_reminded.connect(posts.on_reminder, dispatch_uid="tournaments.posts.clock")
        for signal in (
            discord_linked, discord_unlinked, account_closed, account_reopened, account_merged
        ):  # fmt: skip
            signal.connect(posts.on_person_changed, dispatch_uid="tournaments.posts.person")
        merging.register("tournaments", contestancies_merge)
        merging.register_duty(organises_seasons)
        parts.register(
            "tournaments",
            leaving.seasons_erase,
            known=leaving.names_written,
            obstacle=leaving.must_not_be_needed,
        )
        kept.declare(own_data.DECISIONS)
        register_demo(demo.demo_seasons)
        audience.withhold()
        register_kept(audience.season_kept_from)
        moderation.register()
        self._add_to_pages()

    def _add_to_pages(self) -> None:
        from accounts.profile import register_section  # noqa: PLC0415
        from games.embeds import register_finder  # noqa: PLC0415
        from games.extras import (  # noqa: PLC0415
            register_banner,
            register_duties,
            register_home_section,
            register_owner,
            register_waiting,
        )
        from tournaments import extras  # noqa: PLC0415
        from tournaments.views.embeds import season_embedded  # noqa: PLC0415

        register_section(extras.profile_section, order=20)
        register_banner(extras.match_banner)
        register_owner(extras.match_owned)
        register_finder(season_embedded)
        register_duties(extras.organising_section)
        register_home_section(extras.home_section)
        register_waiting(extras.waiting)
