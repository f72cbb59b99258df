"""Fixtures of seasons serve here too."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.tokens.services import token_create
from tests.tournaments.support import organiser_named


class Caller:
    """Somebody with a token, and short words for what they ask."""

    def __init__(self, user: User, *scopes: str) -> None:
        self.user = user
        _, text = token_create(
            acting_user=user, name="test", scopes=scopes, lasts=timedelta(days=1)
        )
        self.client = Client(headers={"authorization": f"Bearer {text}"})

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/v1{path}", query)

    def post(self, path: str, body: Any, key: str = "") -> Any:
        headers = {"idempotency-key": key} if key else {}
        return self.client.post(
            f"/api/v1{path}", body, content_type="application/json", headers=headers
        )

    def put(self, path: str, body: Any) -> Any:
        return self.client.put(f"/api/v1{path}", body, content_type="application/json")

    def patch(self, path: str, body: Any) -> Any:
        return self.client.patch(f"/api/v1{path}", body, content_type="application/json")


@pytest.fixture
def olga(db: None) -> Caller:
    """An organiser whose program runs seasons."""
    return Caller(organiser_named("olga"), "organise")


@pytest.fixture
def rival(db: None) -> Caller:
    """An organiser of other seasons."""
    return Caller(organiser_named("rival"), "organise")
