from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        # These need the models, which are there only now.
        from django.contrib.auth.signals import user_logged_in, user_logged_out  # noqa: PLC0415

        from accounts.announcing.devices import on_signed_out  # noqa: PLC0415
        from accounts.discord.services import discord_let_go  # noqa: PLC0415
        from accounts.leaving import kept  # noqa: PLC0415
        from accounts.moderation import merging  # noqa: PLC0415
        from accounts.moderation.reports import register_target, user_target  # noqa: PLC0415
        from accounts.roles import has_any_role, is_moderator  # noqa: PLC0415
        from accounts.signin.kept_out import forget_kept_out  # noqa: PLC0415
        from core.admin.readers import register_moderators  # noqa: PLC0415
        from core.replica.reading import register_privileged  # noqa: PLC0415

        user_logged_in.connect(forget_kept_out, dispatch_uid="accounts.kept_out")
        user_logged_out.connect(on_signed_out, dispatch_uid="accounts.push")
        register_target("accounts.user", user_target)
        merging.register("accounts.discord", discord_let_go)
        kept.declare(kept.ACCOUNTS)
        register_moderators(is_moderator)
        register_privileged(has_any_role)
