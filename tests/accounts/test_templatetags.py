"""The small parts of pages."""

from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from django.template import Context, Template
from django.templatetags.static import static

from accounts.models import User
from accounts.templatetags.site import icon, icon_names

WHEN = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)


def render(source: str, **context: object) -> str:
    """Render a piece of template with our tags."""
    return Template("{% load site %}" + source).render(Context(context))


def test_an_icon_is_hidden_unless_it_has_a_label() -> None:
    assert 'aria-hidden="true"' in icon("clock")
    assert 'role="img" aria-label="Time &lt;left&gt;"' in icon("clock", "Time <left>")
    assert f'{static("img/icons.svg")}#clock"/></svg>' in icon("clock")


def test_a_misspelt_icon_is_noticed() -> None:
    assert "clock" in icon_names()
    with pytest.raises(ValueError, match="klock"):
        icon("klock")


@pytest.mark.parametrize(
    ("style", "zone", "text"),
    [
        ("moment", "", "1 March 2026, 23:30 UTC"),
        ("moment", "Asia/Seoul", "2 March 2026, 08:30 KST"),
        ("relative", "", "1 March 2026, 23:30 UTC"),
        ("date", "Asia/Seoul", "2 March 2026"),
    ],
)
def test_times_are_machine_readable_and_in_the_readers_zone(
    style: str, zone: str, text: str
) -> None:
    shell = SimpleNamespace(time_zone=zone)
    markup = render(f'{{% local_time when "{style}" %}}', when=WHEN, shell=shell)
    assert markup == (f'<time datetime="2026-03-01T23:30:00Z" data-style="{style}">{text}</time>')


def test_no_time_is_a_dash() -> None:
    assert render("{% local_time when %}", when=None) == "—"


def test_people(person: Callable[..., User]) -> None:
    ada = person("ada", display_name="<Ada>")
    linked = render("{% user_link ada %}", ada=ada)
    assert linked.startswith('<a class="person" href="/u/ada/" title="@ada">')
    assert "&lt;Ada&gt;" in linked
    assert "<a" not in render("{% user_link ada False %}", ada=ada)
    assert render("{% user_link nobody %}", nobody=None) == '<span class="person">—</span>'
    assert render("{{ ada|shown_name }}", ada=ada) == "&lt;Ada&gt;"
    assert render("{{ nobody|shown_name }}", nobody=None) == ""
    small = render('{% avatar ada "small" %}', ada=ada)
    assert "avatar--small" in small
    assert "&lt;</span>" in small


@pytest.mark.parametrize(
    ("path", "address", "exact", "mark"),
    [
        ("/rules/", "/rules/", "", ' aria-current="page"'),
        ("/rules/x/", "/rules/", "", ' aria-current="true"'),
        ("/rules/x/", "/rules/", " True", ""),
        ("/lobby/", "/rules/", "", ""),
        ("/rulesets/", "/rules/", "", ""),
    ],
)
def test_navigation_marks_where_one_is(path: str, address: str, exact: str, mark: str) -> None:
    source = f"{{% current address{exact} %}}"
    request = SimpleNamespace(path=path)
    assert render(source, request=request, address=address) == mark


def test_navigation_without_a_request_marks_nothing() -> None:
    assert render("{% current address %}", address="/rules/") == ""
