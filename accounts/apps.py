from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        # These need the models, which are there only now.
        from accounts.moderation.reports import register_target, user_target  # noqa: PLC0415

        register_target("accounts.user", user_target)
