"""Starting matches, and putting records on the site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction

from accounts.models import Sanction, User
from accounts.services import audit_record, users_lock
from core import chance
from core.clock import instant_of, now_ms
from core.refusals import Forbidden, NotFound, Refusal, Together
from core.text import one_line
from games import store
from games.audience import may_import, may_organise
from games.engine import live as lives
from games.engine import records
from games.engine.capabilities import Supplied, supplier, supplies_of, supply_of
from games.engine.chance import RandomSource
from games.engine.decisions import ALL, Seat, seen_by
from games.engine.draws import Draws, said_of, seed_of
from games.engine.live import Happened, Live, Prepared, Turn
from games.engine.naming import UNNAMED
from games.engine.options import options_read
from games.engine.ruleset import HeldItem, Options, Ruleset
from games.engine.table import Entry, Header
from games.models import HouseBot, Match, MatchDraws, MatchEntry, MatchPlayer, MatchReferee
from games.options import pace
from games.options.late import must_be_a_delay
from games.publishing import frames
from games.publishing.notices import tell_lists
from games.publishing.publish import publish
from games.publishing.turns import turn_frames
from games.rulesets import REGISTRY
from games.services.announcing import turns_tell
from games.services.late import late_view_keep
from games.services.processes import all_derive_draws
from games.store import Appended, Held, Readers
from games.words import is_in_turns


def options_of(ruleset: Ruleset[Any, Any], given: Mapping[str, Any]) -> Options:
    """The ruleset's options with those ``given`` (times in seconds) in place of the defaults.

    Raises OptionsRefused ``setup.options`` for every unknown name, wrong type and value out of
    range.
    """
    return options_read(ruleset.options_type, given, "setup.options")


def game_of(
    ruleset_id: str, variant: str | None, given: Mapping[str, Any], *, prepared: bool = False
) -> tuple[Ruleset[Any, Any], Options]:
    """The ruleset of a game to be played and its options, those ``given`` in place of the defaults.
    What organisers prepare stands among them only where it is ``prepared``: it is checked for more
    than its form, and stays a secret until the match begins, so it is never one of the options that
    everybody can read. None for a ``variant`` that is not known yet.

    Raises Refusal ``setup.ruleset``; or, all that is wrong together, ``setup.variant`` and
    ``setup.options`` for each option.
    """
    ruleset = REGISTRY.get(ruleset_id)
    supplied = set() if prepared else {key for each in supplies_of(ruleset) for key in each.options}
    faults = Together()
    if variant is not None:
        with faults.of():
            ruleset.variant(variant)
    with faults.of():
        options = options_of(ruleset, {k: v for k, v in given.items() if k not in supplied})
    for key in sorted(supplied):
        if given.get(key) is not None:
            sentence = f"An option “{key}” is not taken here; an organiser may prepare one."
            faults.refused.append(Refusal("setup.options", sentence, field=key))
    faults.settle()
    return ruleset, options


@transaction.atomic
def match_start(  # noqa: PLR0913  (everything that is agreed before a match)
    *,
    acting_user: User | None,
    players: tuple[User, User],
    ruleset_id: str,
    variant: str,
    options: Mapping[str, Any] | None = None,
    items: Sequence[HeldItem] = (),
    advantage: Seat | None = None,
    prepared: Mapping[str, str] | None = None,
    prepared_by: User | None = None,
    referees: Sequence[User] = (),
    items_counted: bool = False,
    by_items: bool = False,
    waits: bool = False,
    certain: bool = False,
    unrated: str = "",
    late_s: int = 0,
    bot_seats: int = 0,
    at: int | None = None,
    random: RandomSource = chance.system,
) -> Match:
    """Start a match between two users; seat 0 is the first of ``players``.

    ``options`` in seconds, only what differs from the defaults. ``prepared``: texts of what is
    supplied instead of drawn, by the keys of the ruleset's `supplies`; ``prepared_by`` (by default
    ``acting_user``) is the organiser whom record and log name for it. ``referees``: who alone may
    organise the match; every organiser, where nobody is named. Where no ``advantage`` is given it
    is drawn by lot, or more ``items`` give it in a variant that says so; ``items_counted`` means
    that the caller has counted what was given already, ``by_items`` that ``advantage`` comes of it.
    One that ``waits`` begins once both players are there (see `games.services.arrivals`), and is
    void if they are not in time, or, where it is ``certain`` or at an hour a turn or more, begins
    then; until then nobody can
    read what its ``items`` are, nor what advantage they give. ``unrated``: why it shall count for
    no rating, in words that everybody reads. ``late_s``: by how many seconds spectators see it
    late, one of `DELAYS`. ``bot_seats``: where the site's own bots sit, as
    `Match.bot_seats`. What is drawn, now or later, is derived from a seed that is chosen here
    (`games.engine.draws`), so that anybody can verify it after the end. Where another ``random``
    than the operating system's is handed in, as tests do, or not all processes of the site know of
    seeds yet, ``random`` is drawn from as it is: the match has no seed, and nothing in it can be
    verified.

    Raises Refusal ``setup.*``: unknown ruleset, variant, option, item or supply, something prepared
    that is not sound, one person on both seats or as player and referee, a closed account, a guest
    or a bot of the site's where it is no practice.
    """
    ruleset = REGISTRY.get(ruleset_id)
    people = users_lock([*players, *referees])
    players = (people[players[0].pk], people[players[1].pk])
    referees = [people[user.pk] for user in referees]
    must_be_a_delay(late_s)
    _must_be_able_to_play(players)
    if not bot_seats:
        _must_be_members(players)
    _must_be_able_to_referee(referees, players)
    at = now_ms() if at is None else at
    chosen = ruleset.variant(variant).id
    counted_here = (
        advantage is None and not items_counted and ruleset.variant(chosen).advantage_by_items
    )
    if counted_here:
        advantage = more_items(items)
    supplied = supplied_to(ruleset, chosen, prepared or {})
    header = Header(
        ruleset=ruleset.id,
        variant=chosen,
        options=options_of(ruleset, _merge_options(options or {}, supplied.options)),
        advantage=advantage,
        items=tuple(items),
    )
    by = prepared_by or acting_user
    if supplied.outcomes and by is None:
        raise Refusal("setup.prepared", "It must be known who prepared what is supplied.")
    ready = [Prepared(text, "" if by is None else by.shown_name) for text in supplied.outcomes]
    # One without can be verified by nobody; one that only some processes derive would look wrong.
    is_derived = chance.is_system(random) and all_derive_draws()
    draws = Draws(seed_of(random)) if is_derived else None
    in_turns = not pace.is_live(ruleset, options or {})
    certain = certain or in_turns
    patience = _patience(ruleset, options or {}, certain=certain)
    if certain and draws is None:
        patience = 0  # there is nothing that anybody could come early for
    if waits and patience:
        sealed = by_items or counted_here
        waiting = lives.announced(
            ruleset,
            header,
            until=at + patience,
            prepared=ready,
            by_items=sealed,
            draws=draws,
            certain=certain,
            gathers_until=at + patience // 2 if in_turns else None,
        )
        turn = Turn(waiting)
    else:
        turn = lives.begin(ruleset, header, at=at, random=random, prepared=ready, draws=draws)
    match = Match.objects.create(
        ruleset=ruleset.id,
        variant=header.variant,
        options=records.changed_options(header.options),
        # What is brought is there to be read only once it has begun.
        items=msgspec.to_builtins(turn.live.table.header.items),
        advantage=turn.live.table.header.advantage,
        unrated=unrated,
        late_s=late_s,
        bot_seats=bot_seats,
        aftermath_due=True,
        snapshot=store.snapshot_of(ruleset, turn.live, Readers()),
        made_good_until=at,
        created_at=instant_of(at),
    )
    if draws is not None:
        _keep(match, draws)
    MatchPlayer.objects.bulk_create(
        MatchPlayer(match=match, seat=seat, user=user, name=user.shown_name)
        for seat, user in enumerate(players)
    )
    MatchReferee.objects.bulk_create(MatchReferee(match=match, user=user) for user in referees)
    held = Held(match.pk, ruleset, turn.live, Readers(), 0, None, match.status)
    held = held._replace(user_ids=[user.pk for user in players], late_s=late_s, bot_seats=bot_seats)
    # Players are waited for, unless it is practice or somebody's simulation.
    tells = waits or in_turns
    held, readers = _first_told(held, turn, at, tells=tells)
    begun = store.save(
        held,
        live=turn.live,
        # Nobody has seen anything yet: all begin with version 1, whatever stands in their log.
        readers=Readers(logs=readers.logs),
        appended=[Appended(happened) for happened in turn.happened],
        at=at,
    )
    late_view_keep(None, begun, at=at)
    match.refresh_from_db()
    audit_record(
        acting_user=acting_user,
        action="match.start",
        target=match,
        data={
            "players": [user.pk for user in players],
            "ruleset": ruleset.id,
            **({"prepared": sorted(prepared)} if prepared else {}),
            **({"referees": [user.pk for user in referees]} if referees else {}),
        },
    )
    transaction.on_commit(partial(_announce_start, match, players))
    transaction.on_commit(partial(publish, list(turn_frames(None, begun))))
    for call in turns_tell(None, begun):
        transaction.on_commit(call, robust=True)
    return match


def _patience(ruleset: Ruleset[Any, Any], options: Mapping[str, Any], *, certain: bool) -> int:
    """For how long (ms) a match waits for its players at most."""
    if not pace.is_live(ruleset, options):
        return 1000 * pace.gathering_s(ruleset, options)
    patience: int = settings.GAUNTLET_ARRIVAL_SECONDS * 1000
    return min(patience, settings.GAUNTLET_GATHER_MS) if certain else patience


def _first_told(held: Held, turn: Turn, at: int, *, tells: bool) -> tuple[Held, Readers]:
    """A new match with what its log says before anything has happened, and how long the log is for
    each reader once all of ``turn`` stands there. One that ``tells`` and begins at once says that
    nobody could add to what is drawn."""
    readers, draws = Readers(), turn.live.draws
    told = partial(
        frames.step_frames, held.ruleset, turn.live, turn.live, match_id=held.match_id, at=at
    )
    if tells and draws is not None and turn.live.waiting is None:
        service, events = MatchEntry.Actor.SERVICE, tuple(said_of(draws))
        MatchEntry.objects.create(
            match_id=held.match_id, seq=1, actor=service, at=at, events=msgspec.to_builtins(events)
        )
        happened = Happened(Entry(actor="chance", text=""), events, turn.live.table)
        readers, _ = told(readers=readers, happened=(happened,), actor=service)
        held = held._replace(seq=1)
    readers, _ = told(readers=readers, happened=turn.happened)
    return held, readers


def more_items(items: Sequence[HeldItem]) -> Seat | None:
    """The seat that holds more of these; None: both hold equally many."""
    first, second = (sum(held.seat == seat for held in items) for seat in (0, 1))
    return None if first == second else int(second > first)


def supplied_to(ruleset: Ruleset[Any, Any], variant: str, prepared: Mapping[str, str]) -> Supplied:
    """What prepared texts mean for a match of that variant. Raises Refusal ``setup.supply`` for a
    key that the variant does not take, and ``setup.prepared`` for a text that is not sound."""
    options: dict[str, Any] = {}
    outcomes: list[str] = []
    for key, text in prepared.items():
        supply = supply_of(ruleset, key, variant)
        found = supplier(ruleset).validate_supply(key, text)
        if found.faults:
            raise Refusal("setup.prepared", f"{supply.name}: {' '.join(found.faults)}")
        means = supplier(ruleset).supplied(key, found.value, variant)
        options |= means.options
        outcomes += means.outcomes
    return Supplied(options, tuple(outcomes))


def _merge_options(options: Mapping[str, Any], supplied: Mapping[str, Any]) -> dict[str, Any]:
    twice = sorted(options.keys() & supplied.keys())
    if twice:
        raise Refusal("setup.prepared", f"Both the options and what is prepared set {twice[0]}.")
    return {**options, **supplied}


def _must_be_able_to_play(players: tuple[User, User]) -> None:
    if players[0].pk == players[1].pk:
        raise Refusal("setup.one-player", "A match needs two different players.")
    if not all(user.is_active for user in players):
        raise Refusal("setup.account-closed", "One of the two accounts is closed.")
    suspended = Sanction.objects.in_force().filter(kind=Sanction.Kind.SUSPENSION, user__in=players)
    if suspended.exists():
        raise Refusal("setup.account-suspended", "One of the two players cannot play just now.")


def _must_be_members(players: tuple[User, User]) -> None:
    if any(user.is_guest for user in players):
        raise Refusal("setup.guest", "One of the two has no account, and can only practise.")
    if HouseBot.objects.filter(user__in=players).exists():
        raise Refusal("setup.house-bot", "The site's own bots only play practice.")


def _must_be_able_to_referee(referees: Sequence[User], players: Sequence[User | None]) -> None:
    named = [user.pk for user in referees]
    if len(set(named)) < len(named):
        raise Refusal("referee.twice", "Somebody is named twice as a referee.")
    if not all(user.is_active for user in referees):
        raise Refusal("referee.account-closed", "The account of one of the referees is closed.")
    if set(named) & {user.pk for user in players if user is not None}:
        raise Refusal("referee.plays", "Nobody can be the referee of their own match.")


@transaction.atomic
def match_referees_set(*, acting_user: User | None, match_id: int, users: Sequence[User]) -> Match:
    """Say who alone may organise a match from now on; nobody: every organiser.

    ``acting_user`` None means that the caller has seen to the right to do so, as seasons do. Raises
    Refusal ``match.none``, ``match.over``, ``organiser.not-allowed``, ``referee.twice``,
    ``referee.plays``, ``referee.account-closed``.
    """
    people = users_lock(users)
    users = [people[user.pk] for user in users]
    match = (
        Match.objects.select_for_update(no_key=True).defer("snapshot").filter(pk=match_id).first()
    )
    if match is None:
        raise NotFound("match.none", "There is no such match.")
    if acting_user is not None and not may_organise(match, acting_user):
        raise Forbidden("organiser.not-allowed", "Only an organiser of this match may do this.")
    if match.is_over:
        raise Refusal("match.over", "The match is over.")
    _must_be_able_to_referee(users, [p.user for p in match.players.select_related("user")])
    before = set(match.referees.values_list("user_id", flat=True))
    after = {user.pk for user in users}
    if after == before:
        return match
    match.referees.exclude(user_id__in=after).delete()
    MatchReferee.objects.bulk_create(
        MatchReferee(match=match, user=user) for user in users if user.pk not in before
    )
    audit_record(
        acting_user=acting_user,
        action="match.referees",
        target=match,
        data={"before": sorted(before), "after": sorted(after)},
    )
    return match


def _announce_start(match: Match, players: tuple[User, User]) -> None:
    frame = {
        "type": "match.started",
        "match": match.pk,
        "url": match.get_absolute_url(),
        "game": REGISTRY.get(match.ruleset).name,
        "seats": [{"name": user.shown_name, "username": user.username} for user in players],
        "begun": match.waits_until is None,
        **({"in_turns": True} if match.waits_until is not None and is_in_turns(match) else {}),
    }
    tell_lists(match, frame, [user.pk for user in players])


# -- records -------------------------------------------------------------------------------------

SOMEBODY = "an organiser"  # whose name in a record cannot be kept


def must_be_allowed_to_import(acting_user: User) -> None:
    """Raises Refusal ``record.not-allowed``."""
    if not may_import(acting_user):
        raise Forbidden("record.not-allowed", "Only organisers may import records.")


@transaction.atomic
def record_import(*, acting_user: User, data: bytes, at: int | None = None) -> Match:
    """Put a finished match's record on the site, to be replayed. Its seats are names only.

    Raises Refusal ``record.not-allowed``, ``record.too-large``, ``record.malformed``,
    ``record.wrong`` (an entry cannot stand, an outcome of chance does not follow from the seed and
    the nonces that are stated, or the stated result disagrees) and
    ``record.unfinished``.
    """
    must_be_allowed_to_import(acting_user)
    if len(data) > settings.GAUNTLET_RECORD_MAX_BYTES:
        raise Refusal("record.too-large", "This file is too large for a match record.")
    at = now_ms() if at is None else at
    try:
        record = records.read(data)
        ruleset, header = records.header_of(REGISTRY, record)
    except records.Malformed as malformed:
        raise Refusal("record.malformed", f"This is not a match record: {malformed}.") from None
    verdict = records.check(REGISTRY, data)
    if not verdict["ok"]:
        where = "" if verdict["at"] is None else f" at entry {verdict['at'] + 1}"
        raise Refusal("record.wrong", f"The record is wrong{where}: {verdict['error']}")
    entries = [_fit(records.entry_of(move)) for move in record.moves]
    steps = list(records.replay(ruleset, header, entries))
    result = steps[-1].table.result if steps else None
    if result is None:
        raise Refusal("record.unfinished", "Only a finished match can be imported.")
    moment, draws = instant_of(at), records.draws_of(record)
    match = Match.objects.create(
        ruleset=ruleset.id,
        variant=header.variant,
        options=records.changed_options(header.options),
        items=msgspec.to_builtins(header.items),
        advantage=header.advantage,
        source=Match.Source.IMPORTED,
        status=Match.Status.FINISHED,
        winner=result.winner,
        reason=result.reason,
        scores=list(result.scores),
        seq=len(entries),
        snapshot=store.snapshot_of(ruleset, Live(steps[-1].table, draws=draws), _readers_of(steps)),
        created_at=moment,
        finished_at=moment,
    )
    MatchPlayer.objects.bulk_create(
        MatchPlayer(match=match, seat=seat, user=None, name=one_line(name)[:200] or UNNAMED[seat])
        for seat, name in enumerate(record.seats)
    )
    MatchEntry.objects.bulk_create(
        MatchEntry(
            match=match,
            seq=step.index + 1,
            actor=str(step.entry.actor),
            text=step.entry.text,
            timeout=step.entry.timeout,
            reading_ms=step.entry.reading_ms,
            by_name=step.entry.by,
            why=step.entry.why,
            at=at,
            events=msgspec.to_builtins(step.events),
        )
        for step in steps
    )
    if draws is not None:
        _keep(match, draws)
    audit_record(acting_user=acting_user, action="match.import", target=match)
    return match


def _keep(match: Match, draws: Draws) -> None:
    """Keep what draws are derived from where the database lets nobody change it."""
    one, two = draws.nonces
    MatchDraws.objects.create(
        match=match,
        seed=draws.seed,
        commitment=draws.commitment,
        commitment_0=one.commitment,
        nonce_0=one.nonce,
        commitment_1=two.commitment,
        nonce_1=two.nonce,
    )


def _fit(entry: Entry) -> Entry:
    """An entry of a record with the words in it made fit to be kept. What somebody has supplied
    stays supplied, whatever is left of their name."""
    by = one_line(entry.by)[:200] or (entry.by and SOMEBODY)
    return msgspec.structs.replace(entry, by=by, why=one_line(entry.why))


def _readers_of(steps: Sequence[records.Reckoned]) -> Readers:
    length = sum(1 for step in steps if seen_by(step.events, ALL))
    return Readers(logs=(length, length, length))
