"""What organisers are told of a channel. Each function takes a key, reads the row and tells; call
it after commit."""

from __future__ import annotations

from accounts.announcing.services import Told, announce
from accounts.models import User
from tournaments.posts.models import DiscordChannel
from tournaments.rights import Right


def channel_announce_given_up(channel_id: int) -> None:
    """Tell the organisers of a season that the bot no longer tells of it, and why. The same words
    stand on the channel's page."""
    channel = DiscordChannel.objects.select_related("season").filter(pk=channel_id).first()
    if channel is None or channel.disabled_at is None:
        return  # disconnected, or switched on again already
    season = channel.season
    announce(
        Told(
            user=user,
            kind="organiser.webhook",
            key=f"discord:{channel.pk}:{channel.disabled_at.isoformat()}",
            subject=f"{season.name}: Discord is switched off",
            words=(
                f"Nothing is told of {season.name} in Discord any more. {channel.disabled_why} "
                "See to it, and switch it on again."
            ),
            path=channel.get_absolute_url(),
        )
        for user in User.objects.filter(seasons_organised__in=season.organisers.holding(Right.RUN))
    )
