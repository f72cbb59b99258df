"""What a site that people trust with their account and with a referee they cannot see has besides:
every item, and the tests that hold it, here or elsewhere.

So nothing of it rests on a test that has been renamed or taken away. `docs/security.md` says for
people what is promised; here it stands item by item.
"""

from __future__ import annotations

import ast
import re
from enum import StrEnum
from functools import cache
from typing import Final

import pytest
from django.apps import apps
from django.db import models

from accounts.models import User
from accounts.roles import Role as SiteRole
from core.api.scopes import Scope
from script.lib.console import ROOT
from tests.permissions.world import Who
from tests.security.every_door.doors import WHO
from tournaments.rights import OF_HELPERS
from tournaments.rights import Role as SeasonRole

HERE: Final = "tests/security/"
#: By item, the tests that hold it: in this folder, unless a folder is named.
ITEMS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "accounts": {
        "who one is has to be confirmed before addresses, tokens, bots and grants": (
            "test_reauthentication.py::test_what_needs_it_asks_and_does_nothing",
            "test_reauthentication.py::test_every_route_of_an_account_is_decided",
            "test_reauthentication.py::test_a_token_makes_no_token_and_opens_no_page_of_settings",
        ),
        "the owner is written to": (
            "test_owner_mail.py::test_whatever_way_it_is_done_its_owner_hears_of_it",
            ("test_administrators.py::test_what_is_written_in_a_form_is_in_the_audit_log_and_told"),
            "test_administrators.py::test_another_password_is_told",
            "test_accounts_meet.py::test_every_letter_says_when_whence_and_what_to_do",
        ),
        "what the owner is written to about can be undone by that": (
            "test_undoing.py::test_of_every_letter_it_is_said_what_it_offers",
            "test_undoing.py::test_a_letter_offers_what_it_should",
            "test_undoing.py::test_a_new_password_ends_what_the_letter_tells_of",
            "test_undoing.py::test_the_letter_afterwards_puts_the_old_address_back",
            "test_undoing.py::test_a_new_passkey_is_undone_within_three_days",
        ),
        "a change of the password offers to end sessions, tokens and grants": (
            "test_sessions.py::test_the_page_offers_to_end_what_there_is",
            "test_sessions.py::test_a_password_change_ends_what_is_ticked_and_nothing_else",
        ),
        "a second factor by an app": (
            "test_second_factor.py::test_an_app_is_set_up_and_its_owner_told",
            "test_second_factor.py::test_a_code_is_good_once",
        ),
        "a second factor by a passkey": (
            "test_second_factor.py::test_nobody_reaches_anothers_passkey",
            (
                "tests/accounts/test_factors_browser.py::"
                "test_a_passkey_is_added_and_signs_in_alone_and_after_a_password"
            ),
        ),
        "required of administrators and moderators, and of organisers where it is said so": (
            "test_second_factor.py::test_a_power_rests_until_its_holder_has_a_factor",
            "test_second_factor.py::test_whoever_runs_a_season_or_helps_is_asked",
            "test_second_factor.py::test_only_an_administrator_sets_the_rule",
        ),
        "recovery codes": (
            "test_second_factor.py::test_a_recovery_code_signs_in_once_and_is_noted",
            "test_second_factor.py::test_new_recovery_codes_end_the_old_ones",
        ),
        "a list of sessions with device and place of last use": (
            "test_sessions.py::test_the_list_says_where_and_marks_this_one",
        ),
        "signing out everywhere": ("test_sessions.py::test_signing_out_everywhere",),
        "a mail at a new device": (
            (
                "test_owner_mail.py::"
                "test_signing_in_from_a_new_browser_is_told_and_from_a_known_one_is_not"
            ),
        ),
        "an export of one's own data": (
            "test_export.py::test_it_holds_what_is_ones_own",
            "test_export.py::test_of_every_row_that_points_at_somebody_it_is_decided",
        ),
        "a deletion, after which one is a former player, in the next dump too": (
            "test_deletion.py::test_every_surface_calls_them_a_former_player",
            "test_deletion.py::test_no_table_names_a_player_who_is_gone",
            "test_deletion.py::test_the_next_dump_does_not_know_them",
        ),
        "blocks": ("test_blocks.py::test_a_block_holds_on",),
        "security.txt, a policy for whoever finds a hole, and robots.txt": (
            "test_well_known.py::test_security_txt_says_whom_to_tell",
            "test_well_known.py::test_the_page_says_how_holes_are_dealt_with",
            "test_well_known.py::test_crawlers_are_kept_out_of_what_is_personal",
        ),
        "Permissions-Policy and Cross-Origin-Resource-Policy": (
            "test_headers.py::test_every_route_says_all_of_it_to_everybody",
            "test_headers.py::test_nothing_is_allowed_that_no_page_uses",
            "test_headers_browser.py::test_chromium_knows_whatever_it_is_told",
        ),
        "Trusted Types": (
            "test_trusted_types.py::test_no_page_violates_the_policy",
            ("test_headers.py::test_trusted_types_are_wanted_everywhere_but_in_the_administration"),
        ),
        "reports of what the policy refused": (
            "test_csp_reports.py::test_a_report_is_one_line_without_queries",
        ),
        "a threat model by role": (
            "test_items.py::test_the_threat_model_has_every_role",
            "test_items.py::test_a_role_of_which_it_says_nothing_is_missed",
        ),
        "staff come to no power by the permissions that they were given": (
            (
                "test_administrators.py::"
                "test_what_lets_in_or_gives_power_is_written_by_administrators_alone"
            ),
            "test_administrators.py::test_who_holds_a_power_is_given_no_password_by_staff",
        ),
    },
    "draws": {
        "the server commits to a seed before the first decision": (
            (
                "tests/games/test_live_draws.py::"
                "test_every_match_has_a_seed_and_says_what_it_hashes_to_before_anything_is_decided"
            ),
            (
                "tests/games/test_live_draws.py::"
                "test_the_database_lets_nobody_change_what_was_committed_to"
            ),
        ),
        "both commit before either opens, so nobody chooses last": (
            "tests/games/test_live_draws.py::test_nobody_chooses_once_anybody_may_have_opened",
            (
                "tests/games/test_live_draws.py::"
                "test_both_numbers_are_opened_before_anything_is_drawn"
            ),
            ("tests/games/test_live_draws.py::test_nobody_repeats_what_the_other_has_committed_to"),
        ),
        "who does not open in time plays with a constant, and the log says so": (
            (
                "tests/games/test_live_draws.py::"
                "test_the_match_begins_by_the_deadline_without_a_number_that_does_not_come"
            ),
        ),
        "every draw is derived by the stated function": (
            "tests/engine/test_draws.py::test_numbers_are_the_blocks_one_after_the_other",
            "tests/engine/test_draws.py::test_words_beyond_the_last_multiple_are_passed_over",
            "tests/engine/test_draws.py::test_orders_are_evenly_likely",
        ),
        "a draw repeated after a take-back comes out the same": (
            (
                "test_cheating_server.py::"
                "test_a_draw_that_is_repeated_after_a_take_back_comes_out_the_same"
            ),
            (
                "tests/games/test_live_draws.py::"
                "test_whoever_takes_back_and_has_it_drawn_again_gets_the_same"
            ),
            (
                "tests/games/test_live_draws.py::"
                "test_what_is_drawn_for_a_choice_that_never_came_is_the_same_again"
            ),
        ),
        "no draw depends on how many came before it": (
            "test_cheating_server.py::test_no_draw_depends_on_how_many_came_before_it",
            (
                "test_cheating_server.py::"
                "test_numbers_of_a_label_are_the_same_whatever_was_taken_before"
            ),
        ),
        "nothing derived from the seed leaves the server before": (
            "tests/games/test_live_draws.py::test_no_seed_leaves_the_server_before_the_end",
            "tests/games/test_live_draws.py::test_no_page_and_no_answer_tells_a_secret",
            (
                "tests/games/test_live_draws.py::"
                "test_two_matches_that_differ_in_their_seed_alone_look_alike"
            ),
            "tests/secrecy/test_looks.py::test_nothing_secret_is_ever_looked_at",
        ),
        "the record verifies: by `record check`, and in the reader's browser": (
            "tests/engine/test_verifiers.py::test_every_draw_of_every_match_is_verified_by_both",
            "tests/browser/test_draws.py::test_a_replay_verifies_its_draws_once_it_is_asked_to",
        ),
        "bots and programs may add a nonce or not": (
            (
                "tests/games/test_live_draws.py::"
                "test_a_program_brings_and_opens_its_number_by_saying_that_it_is_ready"
            ),
            (
                "tests/games/test_live_draws.py::"
                "test_a_match_of_players_who_add_nothing_begins_at_once"
            ),
        ),
        "what has no seed or was supplied says so instead of passing": (
            (
                "tests/engine/test_verifiers.py::"
                "test_a_record_without_a_seed_says_nothing_of_its_draws"
            ),
            ("tests/engine/test_verifiers.py::test_what_both_say_is_about_every_kind_of_draw"),
        ),
        "a stranger can write the verifier": (
            "tests/engine/test_draws.py::test_the_published_numbers_are_those_of_the_engine",
            "tests/engine/test_record_page.py::test_the_words_and_outcomes_that_are_shown_are_true",
        ),
        "both verifiers agree, and a server that cheats is found out": (
            "tests/engine/test_verifiers.py::test_what_was_falsified_is_found_by_both",
            "test_cheating_server.py::test_a_server_that_cheats_is_found_out_by_both",
            (
                "test_cheating_server.py::"
                "test_one_that_draws_everything_anew_is_found_out_by_what_browsers_noted"
            ),
        ),
    },
    "results": {
        "fifteen concessions of a second account bring nothing": (
            "test_farming.py::test_fifteen_concessions_of_a_second_account_bring_nothing",
        ),
        "matches of a pair weigh less and less, and need a least course": (
            "test_farming.py::test_the_nth_match_of_a_pair_within_a_month_counts_less",
            "test_farming.py::test_a_match_counts_from_the_least_course_on",
        ),
        "ways in are hashed, kept for ninety days, and seen by moderators only": (
            "test_ways_in.py::test_a_sign_in_notes_every_way_and_none_as_it_was",
            "test_ways_in.py::test_what_is_old_is_forgotten_after_ninety_days",
            "test_ways_in.py::test_moderators_alone_are_told",
        ),
        "shared ways in, quick concessions and lopsided pairs are reported with evidence": (
            "test_farming.py::test_a_shared_way_in_is_reported",
            "test_farming.py::test_lopsided_pairs_are_reported",
            "test_farming.py::test_eight_second_accounts_that_concede_twice_each_are_one_report",
        ),
        "they are unrated in one action that recomputes": (
            "test_farming.py::test_all_of_a_pair_are_unrated_in_one_go_and_rated_again",
        ),
        "an organiser's take-back draws nothing anew": (
            (
                "tests/games/test_live_draws.py::"
                "test_whoever_takes_back_and_has_it_drawn_again_gets_the_same"
            ),
            "tests/games/test_live_draws.py::test_a_mulligan_is_the_same_again",
        ),
    },
    "the audit log": {
        "the site's role owns no table": (
            "tests/operations/test_roles.py::test_nothing_is_done_to_what_holds_it",
            "tests/operations/test_roles.py::test_no_process_of_the_site_is_the_owner",
            "test_audit_cheats.py::test_the_site_changes_nothing_of_it",
        ),
        "a chain shows whatever was changed": (
            "test_audit_chain.py::test_an_entry_that_was_changed_is_found",
            "test_audit_chain.py::test_an_entry_that_was_deleted_with_its_link_is_found",
            "test_audit_chain.py::test_a_chain_made_anew_is_found_by_what_was_kept",
            "test_audit_cheats.py::test_what_the_site_adds_as_if_it_had_been_there_is_found",
            "test_audit_cheats.py::test_a_row_that_the_owner_changes_is_found",
            "test_audit_cheats.py::test_a_log_that_the_owner_empties_is_found_by_a_head_alone",
        ),
        "`manage.py audit verify`": (
            "test_audit_chain.py::test_commands_say_what_holds_and_what_does_not",
        ),
        "what moderators looked at": (
            "test_audit_looks.py::test_every_kind_of_page_of_a_row_leaves_one",
            "test_audit_looks.py::test_every_list_leaves_an_entry",
        ),
        "what running matches hide is never among it": (
            "tests/secrecy/test_looks.py::test_nothing_secret_is_ever_looked_at",
        ),
    },
    "how it shows": {
        "every route, role and method is judged, the administration included": (
            "every_door/test_every_door.py::test_everybody_is_answered_as_the_table_states",
            "every_door/test_every_door.py::test_every_route_has_a_line_and_nothing_else",
            "every_door/test_every_socket.py::test_everybody_is_answered_as_the_table_states",
            (
                "every_door/test_every_socket.py::"
                "test_every_socket_has_a_line_for_every_frame_and_nothing_else"
            ),
        ),
        "rates of registering, resetting and signing in": (
            "test_rates.py::test_one_more_than_the_table_says_is_refused",
            "every_door/test_every_door.py::test_every_door_is_counted",
        ),
        # With two thousand by `benchmarks/hostile.py`.
        "idle sockets, floods and slow clients, while matches go on": (
            "test_hostile.py::test_matches_go_on",
            "test_hostile.py::test_huge_heads_are_not_read",
            "tests/infra/test_benchmarks.py::test_it_starts",
        ),
        "whatever is handed in is taken or refused, and memory is bounded": (
            "handed_in/test_fuzz.py::test_frames",
            "handed_in/test_fuzz.py::test_records_that_are_imported",
            "handed_in/test_fuzz.py::test_seasons_that_are_imported",
            "handed_in/test_fuzz.py::test_pictures",
            "handed_in/test_fuzz.py::test_bodies_of_the_api",
        ),
        "an audit of what we stand on": (
            "test_audit.py::test_everything_that_is_pinned_is_asked_about",
            "test_audit.py::test_how_it_ends_is_told_apart_and_documented",
        ),
    },
}
HELD: Final = [(item, test) for part in ITEMS.values() for item in part for test in part[item]]


@cache
def _tests_in(path: str) -> frozenset[str]:
    """The names of the tests of a file."""
    tree = ast.parse((ROOT / path).read_text())
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return frozenset(each.name for each in tree.body if isinstance(each, kinds))


@pytest.mark.parametrize("part", ITEMS)
def test_every_item_is_held_by_tests_that_there_are(part: str) -> None:
    for item, tests in ITEMS[part].items():
        assert tests, item
        for test in tests:
            path, _, name = test.partition("::")
            path = path if path.startswith("tests/") else f"{HERE}{path}"
            assert name in _tests_in(path), (item, test)


def test_every_file_of_this_folder_holds_an_item() -> None:
    held = {test.partition("::")[0].rpartition("/")[2] for _item, test in HELD}
    files = {path.name for path in (ROOT / HERE).rglob("test_*.py")}
    besides = {
        "test_deletion_names.py",  # of the deletion: what is not about somebody keeps every word
        "test_sessions_browser.py",  # of the list of sessions: as a browser has it
    }
    assert files - held == besides


# -- the threat model ------------------------------------------------------------------------------

#: Who is in the threat model, and is nobody whom the code tells apart from others.
OUTSIDE_THE_CODE: Final = {"opponent", "whoever has a link", "operator", "third-party site"}


def roles() -> set[str]:
    """Everybody whom the code can tell apart from others, as the threat model names them."""
    flags = (
        field.name
        for field in User._meta.get_fields()
        if isinstance(field, models.BooleanField) and field.name.startswith("is_")
    )
    # A place that somebody has in a match: a row of its own, which says whose it is.
    places = (
        model.__name__
        for model in apps.get_app_config("games").get_models()
        if model.__name__.startswith("Match") and any(f.name == "user" for f in model._meta.fields)
    )
    return {
        *(f"Who.{each.name}" for each in Who),
        *(name for name, who in WHO.items() if who is None),
        *(f"User.{name}" for name in flags),
        *(f"roles.Role.{each.name}" for each in SiteRole),
        *(f"rights.Role.{each.name}" for each in SeasonRole),
        *(f"Right.{each.name}" for each in OF_HELPERS),
        *(f"Scope.{each.name}" for each in Scope),
        *places,
    }


def test_the_threat_model_has_every_role() -> None:
    """What each can see and do, what each cannot, and where that is tested."""
    page = (ROOT / "docs" / "security.md").read_text()
    table = page.partition("## Who there is")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| **")]
    named: list[str] = []
    besides = set()
    for row in rows:
        assert len(row) == 4, row
        assert all(len(cell) > 2 for cell in row), row
        here = re.findall("`([^`]+)`", row[0])
        named += here
        if not here:
            besides.add(row[0].partition("**")[2].partition("**")[0])
        tests = re.findall("`(tests/[^`]+)`", row[3])
        assert tests or "*What is not promised*" in row[3], row[0]
        for test in tests:
            assert (ROOT / test).exists(), test
    assert sorted(named) == sorted(roles())
    assert besides == OUTSIDE_THE_CODE


@pytest.mark.parametrize("where", ["tests/permissions", "every door", "accounts"])
def test_a_role_of_which_it_says_nothing_is_missed(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class More(StrEnum):
        PATRON = "patron"

    test_the_threat_model_has_every_role()
    if where == "every door":
        monkeypatch.setitem(WHO, "patron", None)
    else:
        known = "Who" if where == "tests/permissions" else "SiteRole"
        monkeypatch.setitem(globals(), known, [*globals()[known], *More])
    with pytest.raises(AssertionError):
        test_the_threat_model_has_every_role()
