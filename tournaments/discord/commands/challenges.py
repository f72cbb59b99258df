"""Challenges: offering a match, and accepting one."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import AnonymousUser

from accounts.discord.services import linked_user
from core.discord.text import escaped
from core.refusals import NotFound
from games.forms import ChallengeForm, games_offered, paces_offered
from games.models import Challenge, Match
from games.options.pace import NORMAL, pace_text
from games.options.terms import terms_of
from games.reading import selectors
from games.rulesets import REGISTRY
from games.services.challenges import MESSAGE_MAX, challenge_accept, challenge_create, not_open
from games.words import game_name
from tournaments.discord.commands.base import PERSON, YES_OR_NO, Choices, Command, Option, Pressed
from tournaments.discord.forms import must_be_valid
from tournaments.discord.interactions import Asked, Reply, button, link
from tournaments.discord.replies import Shown
from tournaments.webhooks.payloads import absolute


def _challenge(asked: Asked) -> Reply:
    user = asked.user
    opponent = _opponent(asked)
    form = ChallengeForm(
        {
            "game": asked.text("game"),
            "pace": asked.text("pace") or NORMAL,
            "open_to": ChallengeForm.PLAYER if opponent else ChallengeForm.ANYBODY,
            "opponent": opponent,
            "advantage": asked.text("advantage") or Challenge.Advantage.LOT,
            "rated": "casual" if asked.options.get("casual") else "rated",
            "message": asked.text("message"),
            "late_s": "0",
            "lasts": "1440",
        }
    )
    must_be_valid(form)
    challenge = challenge_create(acting_user=user, **form.offer())
    return _offered(challenge)


def _opponent(asked: Asked) -> str:
    """The username of whom somebody challenges; empty: anybody. Raises Refusal
    ``challenge.no-such-player``."""
    person = asked.text("opponent")
    if not person:
        return asked.text("player")
    linked = linked_user(person)
    if linked is None:
        raise NotFound("challenge.no-such-player", "They have linked no account of this site.")
    return linked.username


def _offered(challenge: Challenge) -> Reply:
    game = escaped(game_name(challenge.ruleset, challenge.variant))
    times = escaped(pace_text(REGISTRY.get(challenge.ruleset), challenge.options))
    lines = [f"**{escaped(challenge.challenger.shown_name)}** offers a match of **{game}**."]
    if challenge.opponent is not None:
        lines = [f"You challenge **{escaped(challenge.opponent.shown_name)}** to **{game}**."]
    lines += [times, *([terms_of(challenge)] if terms_of(challenge) else [])]
    if challenge.message:
        lines.append(f"“{escaped(challenge.message)}”")
    page = link("Open the challenge", absolute(challenge.get_absolute_url()))
    if challenge.opponent is not None:
        # Between those two, as on the site.
        return Reply("\n".join(lines), rows=[[page]])
    return Reply(
        "\n".join(lines), rows=[[button("Accept", f"accept:{challenge.pk}"), page]], public=True
    )


def _accept(asked: Asked, number: str) -> Reply:
    user = asked.user
    challenge = selectors.challenge_visible(int(number), user)
    if challenge is None:
        # Also to whom it is not shown, though the button is: they learn nothing but that.
        raise not_open()
    match = challenge_accept(acting_user=user, challenge=challenge)
    if not Match.objects.visible_to(AnonymousUser()).filter(pk=match.pk).exists():
        shown = Shown(match.pk, user)
        return Reply(embeds=[shown.embed], rows=[shown.buttons])
    shown = Shown(match.pk, None)
    words = " plays ".join(f"**{escaped(name)}**" for name in shown.names)
    return Reply(f"{words}.", embeds=[shown.embed], rows=[shown.buttons], update=True)


def _games() -> Choices:
    return [(str(card), value) for value, card in games_offered()]


def _paces() -> Choices:
    return [(str(card), value) for value, card in paces_offered()]


def _advantages() -> Choices:
    return [
        ("Drawn by lot", str(Challenge.Advantage.LOT)),
        ("You", str(Challenge.Advantage.CHALLENGER)),
        ("Your opponent", str(Challenge.Advantage.OPPONENT)),
    ]


COMMANDS: Final = (
    Command(
        name="challenge",
        description="Offer a match, to somebody or to anybody.",
        run=_challenge,
        options=[
            Option(
                name="game",
                description="What is played.",
                required=True,
                choices=_games,
            ),
            Option(
                name="opponent",
                description="Whom you challenge; nobody named: whoever accepts.",
                kind=PERSON,
            ),
            Option(
                name="player",
                description="Whom you challenge, by username on the site.",
                at_most=31,
            ),
            Option(name="pace", description="How fast.", choices=_paces),
            Option(
                name="advantage",
                description="Who has the advantage.",
                choices=_advantages,
            ),
            Option(name="casual", description="Whether it counts for no rating.", kind=YES_OR_NO),
            Option(
                name="message",
                description="Shown with your challenge.",
                at_most=MESSAGE_MAX,
            ),
        ],
    ),
)
PRESSED: Final[dict[str, Pressed]] = {"accept": _accept}
