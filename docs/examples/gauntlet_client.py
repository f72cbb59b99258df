"""A client for the API of Gauntlet. Written by `manage.py api_client`: do not edit.

    with Client("https://gauntlet.example", token="gnt_…") as gauntlet:
        for match in gauntlet.pages(gauntlet.matches(status="running")):
            print(match["id"], match["ruleset"])

Needs httpx. Answers are the parsed JSON; refusals are raised as `Problem`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx


class Problem(Exception):
    """A request that was refused: `status`, a stable `code`, and a `sentence` for people."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(f"{document['code']}: {document['sentence']}")
        self.document = document
        self.status: int = document["status"]
        self.code: str = document["code"]
        self.sentence: str = document["sentence"]


class Client:
    """One site, as one caller. Waits once where the site says that there were too many requests."""

    def __init__(self, site: str, *, token: str = "", timeout: float = 10.0) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=site, headers=headers, timeout=timeout)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str = "",
    ) -> Any:
        """Do a request and return what is answered. Raises Problem."""
        given = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in (query or {}).items()
            if value is not None
        }
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        for attempt in (1, 2):
            response = self.http.request(
                method, path, params=given or None, json=body, headers=headers
            )
            if response.status_code != 429 or attempt == 2:
                break
            time.sleep(int(response.headers["Retry-After"]))
        if response.is_error:
            raise Problem(response.json())
        return response.json() if response.content else None

    def pages(self, page: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """All rows of a list, from this page on."""
        while True:
            yield from page["results"]
            if page["next"] is None:
                return
            page = self.call("GET", page["next"])

    def index(
        self,
    ) -> Any:
        """Where to begin."""
        return self.call(
            "GET",
            "/api/v1/",
        )

    def challenges(
        self,
        *,
        challenger: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        opponent: str | None = None,
        ordering: str | None = None,
        ruleset: str | None = None,
        status: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Challenges."""
        return self.call(
            "GET",
            "/api/v1/challenges/",
            query={
                "challenger": challenger,
                "cursor": cursor,
                "limit": limit,
                "opponent": opponent,
                "ordering": ordering,
                "ruleset": ruleset,
                "status": status,
                "fields": fields,
            },
        )

    def challenge_create(
        self,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Offer a match."""
        return self.call(
            "POST",
            "/api/v1/challenges/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def challenge(
        self,
        id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """A challenge."""
        return self.call(
            "GET",
            f"/api/v1/challenges/{id}/",
            query={
                "fields": fields,
            },
        )

    def challenge_accept(
        self,
        id: int,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Accept a challenge."""
        return self.call(
            "POST",
            f"/api/v1/challenges/{id}/accept/",
            idempotency_key=idempotency_key,
        )

    def challenge_cancel(
        self,
        id: int,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Take a challenge back."""
        return self.call(
            "POST",
            f"/api/v1/challenges/{id}/cancel/",
            idempotency_key=idempotency_key,
        )

    def challenge_decline(
        self,
        id: int,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Decline a challenge."""
        return self.call(
            "POST",
            f"/api/v1/challenges/{id}/decline/",
            idempotency_key=idempotency_key,
        )

    def death_matches(
        self,
        *,
        contestant: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        round: int | None = None,
        ruleset: str | None = None,
        season: str | None = None,
        since: str | None = None,
        status: str | None = None,
        until: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Death matches."""
        return self.call(
            "GET",
            "/api/v1/death-matches/",
            query={
                "contestant": contestant,
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "round": round,
                "ruleset": ruleset,
                "season": season,
                "since": since,
                "status": status,
                "until": until,
                "fields": fields,
            },
        )

    def death_match(
        self,
        death_match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """A death match."""
        return self.call(
            "GET",
            f"/api/v1/death-matches/{death_match_id}/",
            query={
                "fields": fields,
            },
        )

    def death_match_update(
        self,
        death_match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Say what a death match is played in, and when."""
        return self.call(
            "PATCH",
            f"/api/v1/death-matches/{death_match_id}/",
            body=body or {},
        )

    def leg_ready(
        self,
        death_match_id: int,
        number: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Say that you are ready for a match."""
        return self.call(
            "PUT",
            f"/api/v1/death-matches/{death_match_id}/legs/{number}/ready/",
            body=body or {},
        )

    def leg_void(
        self,
        death_match_id: int,
        number: int,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Declare a match void and have it played again."""
        return self.call(
            "POST",
            f"/api/v1/death-matches/{death_match_id}/legs/{number}/replay/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def death_match_result(
        self,
        death_match_id: int,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Rule on a death match."""
        return self.call(
            "POST",
            f"/api/v1/death-matches/{death_match_id}/result/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def featured(
        self,
        *,
        fields: str | None = None,
    ) -> Any:
        """The featured match."""
        return self.call(
            "GET",
            "/api/v1/featured/",
            query={
                "fields": fields,
            },
        )

    def follows(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Seasons that you follow."""
        return self.call(
            "GET",
            "/api/v1/follows/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "fields": fields,
            },
        )

    def hosted_matches(
        self,
        *,
        cursor: str | None = None,
        host: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        ruleset: str | None = None,
        status: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Hosted matches."""
        return self.call(
            "GET",
            "/api/v1/hosted/",
            query={
                "cursor": cursor,
                "host": host,
                "limit": limit,
                "ordering": ordering,
                "ruleset": ruleset,
                "status": status,
                "fields": fields,
            },
        )

    def hosted_match_create(
        self,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Host a match."""
        return self.call(
            "POST",
            "/api/v1/hosted/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def hosted_match(
        self,
        hosted_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """A hosted match."""
        return self.call(
            "GET",
            f"/api/v1/hosted/{hosted_id}/",
            query={
                "fields": fields,
            },
        )

    def hosted_match_accept(
        self,
        hosted_id: int,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Accept an invitation."""
        return self.call(
            "POST",
            f"/api/v1/hosted/{hosted_id}/accept/",
            idempotency_key=idempotency_key,
        )

    def hosted_match_cancel(
        self,
        hosted_id: int,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Cancel a hosted match."""
        return self.call(
            "POST",
            f"/api/v1/hosted/{hosted_id}/cancel/",
            idempotency_key=idempotency_key,
        )

    def hosted_match_decline(
        self,
        hosted_id: int,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Decline an invitation."""
        return self.call(
            "POST",
            f"/api/v1/hosted/{hosted_id}/decline/",
            idempotency_key=idempotency_key,
        )

    def invite(
        self,
        token: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """A challenge by its link."""
        return self.call(
            "GET",
            f"/api/v1/invites/{token}/",
            query={
                "fields": fields,
            },
        )

    def invite_accept(
        self,
        token: str,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Accept a challenge by its link."""
        return self.call(
            "POST",
            f"/api/v1/invites/{token}/accept/",
            idempotency_key=idempotency_key,
        )

    def items(
        self,
        *,
        fields: str | None = None,
    ) -> Any:
        """The catalogue of items."""
        return self.call(
            "GET",
            "/api/v1/items/",
            query={
                "fields": fields,
            },
        )

    def leaderboards(
        self,
        *,
        fields: str | None = None,
    ) -> Any:
        """All leaderboards."""
        return self.call(
            "GET",
            "/api/v1/leaderboards/",
            query={
                "fields": fields,
            },
        )

    def leaderboard(
        self,
        ladder: str,
        *,
        bots: str | None = None,
        cursor: str | None = None,
        days: int | None = None,
        fields: str | None = None,
        format: str | None = None,
        games: int | None = None,
        limit: int | None = None,
        provisional: str | None = None,
    ) -> Any:
        """A leaderboard: all games together, or one of them."""
        return self.call(
            "GET",
            f"/api/v1/leaderboards/{ladder}/",
            query={
                "bots": bots,
                "cursor": cursor,
                "days": days,
                "fields": fields,
                "format": format,
                "games": games,
                "limit": limit,
                "provisional": provisional,
            },
        )

    def matches(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        player: str | None = None,
        ruleset: str | None = None,
        since: str | None = None,
        source: str | None = None,
        status: str | None = None,
        until: str | None = None,
        variant: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Matches."""
        return self.call(
            "GET",
            "/api/v1/matches/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "player": player,
                "ruleset": ruleset,
                "since": since,
                "source": source,
                "status": status,
                "until": until,
                "variant": variant,
                "fields": fields,
            },
        )

    def match(
        self,
        match_id: int,
        *,
        commitment: str | None = None,
        here: bool | None = None,
        fields: str | None = None,
    ) -> Any:
        """A match as you may see it."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/",
            query={
                "commitment": commitment,
                "here": here,
                "fields": fields,
            },
        )

    def advice(
        self,
        match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """A hint."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/advice/",
            query={
                "fields": fields,
            },
        )

    def match_chat(
        self,
        match_id: int,
        *,
        room: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """The chat of a match."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/chat/",
            query={
                "room": room,
                "fields": fields,
            },
        )

    def match_commentary(
        self,
        match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """The commentary on a match."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/commentary/",
            query={
                "fields": fields,
            },
        )

    def commentator_name(
        self,
        match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Name a commentator."""
        return self.call(
            "POST",
            f"/api/v1/matches/{match_id}/commentary/",
            body=body or {},
        )

    def commentator_dismiss(
        self,
        match_id: int,
        username: str,
    ) -> Any:
        """Dismiss a commentator."""
        return self.call(
            "DELETE",
            f"/api/v1/matches/{match_id}/commentary/{username}/",
        )

    def match_feature(
        self,
        match_id: int,
    ) -> Any:
        """Feature a match."""
        return self.call(
            "PUT",
            f"/api/v1/matches/{match_id}/featured/",
        )

    def match_unfeature(
        self,
        match_id: int,
    ) -> Any:
        """Feature a match no longer."""
        return self.call(
            "DELETE",
            f"/api/v1/matches/{match_id}/featured/",
        )

    def match_hints(
        self,
        match_id: int,
        *,
        count: int | None = None,
        fields: str | None = None,
    ) -> Any:
        """Legal moves at random."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/hints/",
            query={
                "count": count,
                "fields": fields,
            },
        )

    def match_log(
        self,
        match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """The log of a match."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/log/",
            query={
                "fields": fields,
            },
        )

    def plan(
        self,
        match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """Your plan in a match of yours."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/plan/",
            query={
                "fields": fields,
            },
        )

    def plan_save(
        self,
        match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Keep a plan."""
        return self.call(
            "PUT",
            f"/api/v1/matches/{match_id}/plan/",
            body=body or {},
        )

    def predictions(
        self,
        match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """Who is thought to win."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/predictions/",
            query={
                "fields": fields,
            },
        )

    def predict(
        self,
        match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Say who will win."""
        return self.call(
            "PUT",
            f"/api/v1/matches/{match_id}/predictions/",
            body=body or {},
        )

    def ready(
        self,
        match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Say that you are there."""
        return self.call(
            "POST",
            f"/api/v1/matches/{match_id}/ready/",
            body=body or {},
        )

    def record(
        self,
        match_id: int,
    ) -> Any:
        """The record of a match that is over."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/record/",
        )

    def match_rematch(
        self,
        match_id: int,
        *,
        idempotency_key: str = "",
    ) -> Any:
        """Offer a rematch."""
        return self.call(
            "POST",
            f"/api/v1/matches/{match_id}/rematch/",
            idempotency_key=idempotency_key,
        )

    def study(
        self,
        match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """The study of a match."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/study/",
            query={
                "fields": fields,
            },
        )

    def study_ask(
        self,
        match_id: int,
    ) -> Any:
        """Have a match studied."""
        return self.call(
            "POST",
            f"/api/v1/matches/{match_id}/study/",
        )

    def study_comments(
        self,
        match_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """What is said of a match's positions."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/study/comments/",
            query={
                "fields": fields,
            },
        )

    def study_comment(
        self,
        match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Say something of a position."""
        return self.call(
            "POST",
            f"/api/v1/matches/{match_id}/study/comments/",
            body=body or {},
        )

    def study_position(
        self,
        match_id: int,
        *,
        at: int | None = None,
        line: str | None = None,
        seat: int | None = None,
        text: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """A position of a finished match."""
        return self.call(
            "GET",
            f"/api/v1/matches/{match_id}/study/position/",
            query={
                "at": at,
                "line": line,
                "seat": seat,
                "text": text,
                "fields": fields,
            },
        )

    def submit(
        self,
        match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Submit a move."""
        return self.call(
            "POST",
            f"/api/v1/matches/{match_id}/submissions/",
            body=body or {},
        )

    def take_back(
        self,
        match_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Take your last move back."""
        return self.call(
            "POST",
            f"/api/v1/matches/{match_id}/take-back/",
            body=body or {},
        )

    def me(
        self,
        *,
        fields: str | None = None,
    ) -> Any:
        """You."""
        return self.call(
            "GET",
            "/api/v1/me/",
            query={
                "fields": fields,
            },
        )

    def blocks(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Whom you have blocked."""
        return self.call(
            "GET",
            "/api/v1/me/blocks/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "fields": fields,
            },
        )

    def block(
        self,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Block somebody."""
        return self.call(
            "POST",
            "/api/v1/me/blocks/",
            body=body or {},
        )

    def unblock(
        self,
        username: str,
    ) -> Any:
        """Unblock somebody."""
        return self.call(
            "DELETE",
            f"/api/v1/me/blocks/{username}/",
        )

    def become_bot(
        self,
    ) -> Any:
        """Make your account a bot's."""
        return self.call(
            "POST",
            "/api/v1/me/bot/",
        )

    def schema(
        self,
    ) -> Any:
        """This schema."""
        return self.call(
            "GET",
            "/api/v1/openapi.json",
        )

    def practice_start(
        self,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Play against a bot of the site's."""
        return self.call(
            "POST",
            "/api/v1/practice/",
            body=body or {},
        )

    def puzzles(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        ruleset: str | None = None,
        variant: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Puzzles."""
        return self.call(
            "GET",
            "/api/v1/puzzles/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "ruleset": ruleset,
                "variant": variant,
                "fields": fields,
            },
        )

    def puzzle(
        self,
        puzzle_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """A puzzle."""
        return self.call(
            "GET",
            f"/api/v1/puzzles/{puzzle_id}/",
            query={
                "fields": fields,
            },
        )

    def puzzle_answer(
        self,
        puzzle_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Answer a puzzle."""
        return self.call(
            "POST",
            f"/api/v1/puzzles/{puzzle_id}/answers/",
            body=body or {},
        )

    def puzzle_solution(
        self,
        puzzle_id: int,
    ) -> Any:
        """See the solution."""
        return self.call(
            "POST",
            f"/api/v1/puzzles/{puzzle_id}/solution/",
        )

    def puzzle_daily(
        self,
        *,
        fields: str | None = None,
    ) -> Any:
        """The puzzle of the day."""
        return self.call(
            "GET",
            "/api/v1/puzzles/daily/",
            query={
                "fields": fields,
            },
        )

    def rulesets(
        self,
        *,
        fields: str | None = None,
    ) -> Any:
        """Games."""
        return self.call(
            "GET",
            "/api/v1/rulesets/",
            query={
                "fields": fields,
            },
        )

    def ruleset(
        self,
        ruleset_id: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """A game."""
        return self.call(
            "GET",
            f"/api/v1/rulesets/{ruleset_id}/",
            query={
                "fields": fields,
            },
        )

    def lesson(
        self,
        ruleset_id: str,
        variant_id: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """A lesson."""
        return self.call(
            "GET",
            f"/api/v1/rulesets/{ruleset_id}/variants/{variant_id}/lesson/",
            query={
                "fields": fields,
            },
        )

    def lesson_answer(
        self,
        number: int,
        ruleset_id: str,
        variant_id: str,
        *,
        text: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """An answer to a step of a lesson."""
        return self.call(
            "GET",
            f"/api/v1/rulesets/{ruleset_id}/variants/{variant_id}/lesson/{number}/",
            query={
                "text": text,
                "fields": fields,
            },
        )

    def saved_moves(
        self,
        ruleset: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """Your saved moves for a ruleset."""
        return self.call(
            "GET",
            f"/api/v1/saved/{ruleset}/",
            query={
                "fields": fields,
            },
        )

    def saved_move_save(
        self,
        ruleset: str,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Save a move under a name."""
        return self.call(
            "POST",
            f"/api/v1/saved/{ruleset}/",
            body=body or {},
        )

    def saved_move_delete(
        self,
        ruleset: str,
        saved_move_id: int,
    ) -> Any:
        """Forget a saved move."""
        return self.call(
            "DELETE",
            f"/api/v1/saved/{ruleset}/{saved_move_id}/",
        )

    def seasons(
        self,
        *,
        contestant: str | None = None,
        cursor: str | None = None,
        format: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        organiser: str | None = None,
        search: str | None = None,
        status: str | None = None,
        visibility: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Seasons."""
        return self.call(
            "GET",
            "/api/v1/seasons/",
            query={
                "contestant": contestant,
                "cursor": cursor,
                "format": format,
                "limit": limit,
                "ordering": ordering,
                "organiser": organiser,
                "search": search,
                "status": status,
                "visibility": visibility,
                "fields": fields,
            },
        )

    def season_create(
        self,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Create a season."""
        return self.call(
            "POST",
            "/api/v1/seasons/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def season(
        self,
        slug: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """A season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/",
            query={
                "fields": fields,
            },
        )

    def season_update(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Change a season's settings."""
        return self.call(
            "PATCH",
            f"/api/v1/seasons/{slug}/",
            body=body or {},
        )

    def season_bracket(
        self,
        slug: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """The bracket of a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/bracket/",
            query={
                "fields": fields,
            },
        )

    def season_contestants(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        status: str | None = None,
        username: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Contestants."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/contestants/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "status": status,
                "username": username,
                "fields": fields,
            },
        )

    def season_enrol(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Enrol contestants, all or none."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/contestants/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def contestant_replace(
        self,
        contestant_id: int,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Put somebody else in a contestant's place."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/contestants/{contestant_id}/replace/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def contestant_return(
        self,
        contestant_id: int,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Bring back a contestant who has withdrawn."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/contestants/{contestant_id}/return/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def contestant_withdraw(
        self,
        contestant_id: int,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Withdraw a contestant."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/contestants/{contestant_id}/withdraw/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def season_events(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        kind: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        since: str | None = None,
        until: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """What happened in a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/events/",
            query={
                "cursor": cursor,
                "kind": kind,
                "limit": limit,
                "ordering": ordering,
                "since": since,
                "until": until,
                "fields": fields,
            },
        )

    def season_follow(
        self,
        slug: str,
    ) -> Any:
        """Follow a season."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/follow/",
        )

    def season_unfollow(
        self,
        slug: str,
    ) -> Any:
        """Unfollow a season."""
        return self.call(
            "DELETE",
            f"/api/v1/seasons/{slug}/follow/",
        )

    def season_items(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        receiver: str | None = None,
        status: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Items given in a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/items/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "receiver": receiver,
                "status": status,
                "fields": fields,
            },
        )

    def season_item_give(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Give an item."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/items/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def season_item_take_back(
        self,
        gift_id: int,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Take back an item."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/items/{gift_id}/take-back/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def season_leaderboard(
        self,
        slug: str,
        *,
        bots: str | None = None,
        days: int | None = None,
        fields: str | None = None,
        format: str | None = None,
        games: int | None = None,
        provisional: str | None = None,
    ) -> Any:
        """The leaderboard of a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/leaderboard/",
            query={
                "bots": bots,
                "days": days,
                "fields": fields,
                "format": format,
                "games": games,
                "provisional": provisional,
            },
        )

    def season_predictions(
        self,
        slug: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """Who is thought to win a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/predictions/",
            query={
                "fields": fields,
            },
        )

    def season_predict(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Say who will win a season, or a death match."""
        return self.call(
            "PUT",
            f"/api/v1/seasons/{slug}/predictions/",
            body=body or {},
        )

    def season_preflight(
        self,
        slug: str,
        *,
        step: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Warnings before a step."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/preflight/",
            query={
                "step": step,
                "fields": fields,
            },
        )

    def season_rounds(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        status: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Rounds, episodes, bracket of a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/rounds/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "status": status,
                "fields": fields,
            },
        )

    def season_round_open(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Open the next round with all its matches."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/rounds/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def episode_choose(
        self,
        number: int,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Name the death-match opponent."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/rounds/{number}/dmo/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def episode_placements(
        self,
        number: int,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """Record the main match of an episode."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/rounds/{number}/placements/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def season_round_schedule(
        self,
        number: int,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Give a round's matches their times, all or none."""
        return self.call(
            "PUT",
            f"/api/v1/seasons/{slug}/rounds/{number}/schedule/",
            body=body or {},
        )

    def season_seeds(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Set or draw seeds."""
        return self.call(
            "PUT",
            f"/api/v1/seasons/{slug}/seeds/",
            body=body or {},
        )

    def season_standings(
        self,
        slug: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """Standings of a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/standings/",
            query={
                "fields": fields,
            },
        )

    def season_step(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
        idempotency_key: str = "",
    ) -> Any:
        """List, start, finish, cancel or archive a season."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/steps/",
            body=body or {},
            idempotency_key=idempotency_key,
        )

    def webhooks(
        self,
        slug: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """Webhooks of a season."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/webhooks/",
            query={
                "cursor": cursor,
                "limit": limit,
                "ordering": ordering,
                "fields": fields,
            },
        )

    def webhook_create(
        self,
        slug: str,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Create a webhook."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/webhooks/",
            body=body or {},
        )

    def webhook(
        self,
        slug: str,
        webhook_id: int,
        *,
        fields: str | None = None,
    ) -> Any:
        """A webhook."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/webhooks/{webhook_id}/",
            query={
                "fields": fields,
            },
        )

    def webhook_update(
        self,
        slug: str,
        webhook_id: int,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Change a webhook."""
        return self.call(
            "PATCH",
            f"/api/v1/seasons/{slug}/webhooks/{webhook_id}/",
            body=body or {},
        )

    def webhook_delete(
        self,
        slug: str,
        webhook_id: int,
    ) -> Any:
        """Delete a webhook."""
        return self.call(
            "DELETE",
            f"/api/v1/seasons/{slug}/webhooks/{webhook_id}/",
        )

    def webhook_deliveries(
        self,
        slug: str,
        webhook_id: int,
        *,
        cursor: str | None = None,
        kind: str | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        status: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """What it was told."""
        return self.call(
            "GET",
            f"/api/v1/seasons/{slug}/webhooks/{webhook_id}/deliveries/",
            query={
                "cursor": cursor,
                "kind": kind,
                "limit": limit,
                "ordering": ordering,
                "status": status,
                "fields": fields,
            },
        )

    def webhook_redeliver(
        self,
        delivery_id: int,
        slug: str,
        webhook_id: int,
    ) -> Any:
        """Deliver again."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver/",
        )

    def webhook_rotate(
        self,
        slug: str,
        webhook_id: int,
    ) -> Any:
        """Replace a webhook's secret."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/webhooks/{webhook_id}/secret/",
        )

    def webhook_test(
        self,
        slug: str,
        webhook_id: int,
    ) -> Any:
        """Send a test."""
        return self.call(
            "POST",
            f"/api/v1/seasons/{slug}/webhooks/{webhook_id}/test/",
        )

    def seek(
        self,
        *,
        fields: str | None = None,
    ) -> Any:
        """How it stands with your pairing."""
        return self.call(
            "GET",
            "/api/v1/seek/",
            query={
                "fields": fields,
            },
        )

    def seek_create(
        self,
        *,
        body: dict[str, Any] | None = None,
    ) -> Any:
        """Be paired with somebody."""
        return self.call(
            "POST",
            "/api/v1/seek/",
            body=body or {},
        )

    def seek_cancel(
        self,
    ) -> Any:
        """Wait no longer."""
        return self.call(
            "DELETE",
            "/api/v1/seek/",
        )

    def users(
        self,
        *,
        cursor: str | None = None,
        is_bot: bool | None = None,
        limit: int | None = None,
        ordering: str | None = None,
        search: str | None = None,
        fields: str | None = None,
    ) -> Any:
        """People."""
        return self.call(
            "GET",
            "/api/v1/users/",
            query={
                "cursor": cursor,
                "is_bot": is_bot,
                "limit": limit,
                "ordering": ordering,
                "search": search,
                "fields": fields,
            },
        )

    def user(
        self,
        username: str,
        *,
        fields: str | None = None,
    ) -> Any:
        """A person."""
        return self.call(
            "GET",
            f"/api/v1/users/{username}/",
            query={
                "fields": fields,
            },
        )
