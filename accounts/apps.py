from functools import partial

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        # These need the models, which are there only now.
        from allauth.account.signals import (  # noqa: PLC0415
            authentication_step_completed,
        )
        from django.contrib.auth.signals import user_logged_in, user_logged_out  # noqa: PLC0415

        from accounts.announcing.devices import on_signed_out  # noqa: PLC0415
        from accounts.discord.services import (  # noqa: PLC0415
            confirm_way,
            discord_let_go,
            discord_unlink,
            links_of,
        )
        from accounts.factors import guessing  # noqa: PLC0415
        from accounts.factors import receivers as factors  # noqa: PLC0415
        from accounts.factors import services as factor_services  # noqa: PLC0415
        from accounts.leaving import kept  # noqa: PLC0415
        from accounts.leaving.services import deletions_let_go  # noqa: PLC0415
        from accounts.moderation import merging  # noqa: PLC0415
        from accounts.moderation.reports import register_target, user_target  # noqa: PLC0415
        from accounts.oauth.services import (  # noqa: PLC0415
            authorisations_of,
            authorisations_revoke,
        )
        from accounts.roles import administration_rests, has_any_role, is_moderator  # noqa: PLC0415
        from accounts.signin import ending, ways  # noqa: PLC0415
        from accounts.signin.kept_out import forget_kept_out  # noqa: PLC0415
        from accounts.signin.recent import ask_unless_confirmed, register_way  # noqa: PLC0415
        from accounts.signin.sessions import (  # noqa: PLC0415
            on_confirmed,
            on_signed_in,
            session_of_signed_out,
            sessions_let_go,
        )
        from accounts.tokens.services import tokens_good, tokens_revoke  # noqa: PLC0415
        from core.admin.confirming import register_confirming  # noqa: PLC0415
        from core.admin.readers import register_kept_out, register_moderators  # noqa: PLC0415
        from core.replica.reading import register_privileged  # noqa: PLC0415

        user_logged_in.connect(forget_kept_out, dispatch_uid="accounts.kept_out")
        user_logged_in.connect(ways.on_signed_in, dispatch_uid="accounts.ways")
        user_logged_out.connect(on_signed_out, dispatch_uid="accounts.push")
        user_logged_in.connect(on_signed_in, dispatch_uid="accounts.sessions")
        user_logged_out.connect(session_of_signed_out, dispatch_uid="accounts.sessions")
        authentication_step_completed.connect(on_confirmed, dispatch_uid="accounts.confirmed")
        register_target("accounts.user", user_target)
        merging.register("accounts.discord", discord_let_go)
        kept.declare(kept.ACCOUNTS)
        merging.register("accounts.sessions", sessions_let_go)
        merging.register("accounts.factors", factors.factors_let_go)
        merging.register("accounts.leaving", deletions_let_go)
        register_way(confirm_way)
        ending.register(
            ending.Part(
                "end_tokens",
                "Revoke my API tokens",
                tokens_good,
                lambda user: tokens_revoke(acting_user=user),
            )
        )
        ending.register(
            ending.Part(
                "end_applications",
                "Shut out the applications that I have let in",
                lambda user: len(authorisations_of(user)),
                lambda user: authorisations_revoke(acting_user=user),
            )
        )
        ending.register(
            ending.Part(
                "end_discord",
                "Unlink Discord, by which one can sign in without the password",
                links_of,
                lambda user: discord_unlink(acting_user=user),
                by_mail=False,
            )
        )
        for part in factor_services.parts():
            ending.register(part)
        register_moderators(is_moderator)
        register_confirming(ask_unless_confirmed)
        register_kept_out(administration_rests)
        factors.connect()
        guessing.count_here()
        register_privileged(has_any_role)
        _undo_by_letters()
        _log_the_admin_site()


def _undo_by_letters() -> None:
    """Tell owners of what would let others in for longer, and how it is undone."""
    from allauth.account.signals import email_added, email_changed  # noqa: PLC0415

    from accounts.factors import services as factors  # noqa: PLC0415
    from accounts.signin import addresses, undoing  # noqa: PLC0415

    email_added.connect(addresses.on_address_asked, dispatch_uid="accounts.address_asked")
    email_changed.connect(addresses.on_address_changed, dispatch_uid="accounts.address_changed")
    undoing.register(addresses.UNDO)
    undoing.register(factors.UNDO)
    undoing.register_since("accounts.factors", factors.factors_remove_since)
    for letter, kind in factors.ADDED.items():
        undoing.register_said(letter, partial(factors.said_of_added, kind))


def _log_the_admin_site() -> None:
    """Write down what is looked at there, and what is written where no service does it."""
    from accounts.auditing.looks import look_record  # noqa: PLC0415
    from accounts.auditing.writes import write_record  # noqa: PLC0415
    from core.admin.looks import register_looks  # noqa: PLC0415
    from core.admin.writes import register_writes  # noqa: PLC0415

    register_looks(look_record)
    register_writes(write_record)
