"""Everything that changes seasons. Each service takes keyword arguments only, is one transaction
(change, audit entry, season event), asks `tournaments.audience` who may, and locks the season row
first (`guards.season_lock`), so that two organisers cannot do the same thing twice. Most take
``at``: the instant of the action, which is now unless it is said.

- `seasons`: season_create, season_update, season_list, season_unlist, season_archive,
  season_cancel, season_finish
- `preflight`: what is to be known before a step of a season, and what stops it
- `organisers`: organiser_ask, organiser_ask_withdraw, organiser_accept, organiser_decline,
  organiser_change, organiser_remove, season_hand_over, and who referees
- `repertoire`: what a season plays, and which of it a round is in
- `contestants`: contestants_enrol, contestant_enrol, contestants_import (CSV), contestant_join,
  contestant_remove, seeds_set, seeds_draw, contestant_withdraw, contestant_return,
  contestant_replace
- `deathmatches`: for formats, under the season's lock: death_match_create, bye_create, sides_set,
  round_close
- `legs`: rules_set, leg_start, leg_unseal, and who has the advantage
- `results`: leg_settle (a match ended), leg_void (and replay), death_match_declare,
  death_match_walkover, death_match_reopen, death_match_correct, death_match_void, round_reopen,
  season_conclude; `decisions.follow` does what a format's step says is to be done
- `scheduling`: leg_schedule, leg_confirm, leg_unconfirm, legs_sweep, reminders_send
- `items`: item_give, item_take_back, item_declare, item_undeclare, items_resolve, items_unseal
- `rounds`: round_next, round_pair, round_close_by_hand, round_schedule
- `starts`: season_start
- `events`: season_event, season_events

What formats do by themselves is in their folders (`tournaments.formats`): the episodes of an
elimination season, the challenges of a ladder. A whole season goes out and in by
`tournaments.documents`. Imports go one way: these services know formats,
formats know `deathmatches`, `repertoire`, `events` and `guards`. So they do among services, from
`rounds` down to `guards` (`pyproject.toml` has the order), and among the rooms of `results`,
`contestants`, `scheduling` and `items`, each of which is a folder that says what is in it.
"""
