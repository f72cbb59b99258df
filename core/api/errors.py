"""Errors of the API itself.

A module of its own: what the framework loads while it is loading itself can use it.
"""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import APIException


class ApiProblem(APIException):
    """An error of the API itself, with a stable code. ``more`` goes into the document beside it."""

    status_code = 400
    code = "request.invalid"

    def __init__(
        self, sentence: str, *, code: str = "", status: int | None = None, **more: Any
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code or self.code
        self.status_code = status or self.status_code
        self.more = more


class ParameterFault(ApiProblem):
    """A query parameter is wrong: 400 with it in `fields`."""

    status_code = 400

    def __init__(self, name: str, sentence: str, *, code: str) -> None:
        fields = {name: [{"code": code, "sentence": sentence}]}
        super().__init__(sentence, code=code, fields=fields)
