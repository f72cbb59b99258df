"""A site that reads from a real standby: what comes from there, what must not, and what happens
when it is behind, dead or hung. What is declared, and who may: tests/infra/test_replica.py."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from tests.games.client import Reader
from tests.games.desk import Desk, Person
from tests.infra.test_replica import declared
from tests.support.depth import covering
from tests.support.ground import start
from tests.support.site import AnotherWeb, Process, Site, wait_for
from tests.support.standby import PGBOUNCER, Followed, figures, pooled

pytestmark = [pytest.mark.site, pytest.mark.xdist_group("replica")]

# So long that it is asked however long a test holds it back; who has written is known for as long.
LONG = "600000"
# What one waits for a page that two databases are asked for, one of which is silent.
PAGE_S = 20.0
CSRF = "c" * 32


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    """The site and its standby, started once."""
    folder = tmp_path_factory.mktemp("followed")
    made = Followed(folder, GAUNTLET_REPLICA_LAG_MS=LONG)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def followed(whole: Followed) -> Followed:
    """The same, with nothing wrong."""
    whole.mend()
    return whole


@pytest.fixture
def desk(followed: Followed) -> Desk:
    return Desk(followed.site)


def get(followed: Followed, path: str, **headers: str) -> httpx.Response:
    """What somebody without a past is told."""
    return httpx.get(f"{followed.site.base_url}{path}", headers=headers, timeout=60)


def by(followed: Followed, path: str, **headers: str) -> tuple[str, httpx.Response]:
    """The same, and by what it was made."""
    before = followed.reads()
    answer = get(followed, path, **headers)
    after = followed.reads()
    (made,) = [name for name, count in after.items() if count != before.get(name, 0)]
    return made, answer


def rename(desk: Desk, person: Person, name: str) -> None:
    """Somebody else does it."""
    desk.hand.run(
        "from accounts.models import User\n"
        f"User.objects.filter(pk={person.pk}).update(display_name={name!r})"
    )


def profile(person: Person) -> str:
    return f"/u/{person.name.lower()}/"


# -- every route ---------------------------------------------------------------------------------


def _parts() -> dict[str, set[str]]:
    """What must be known to write down each address."""
    found: dict[str, set[str]] = {}

    def walk(patterns: list[Any], names: tuple[str, ...]) -> None:
        for each in patterns:
            if isinstance(each, URLResolver):
                walk(each.url_patterns, (*names, each.namespace) if each.namespace else names)
            elif isinstance(each, URLPattern) and each.name:
                groups = set(each.pattern.converters) | set(each.pattern.regex.groupindex)
                found[":".join([*names, each.name])] = groups

    walk(get_resolver().url_patterns, ())
    # Those that lead into a season stand in the pattern that leads there.
    return found


_PICTURE = """
from io import BytesIO
from PIL import Image
from tournaments.models import Season
from tournaments.photographs import WIDE
from tournaments.services.pictures import picture_set
season = Season.objects.get(slug={slug!r})
file = BytesIO()
Image.new("RGB", (640, 320)).save(file, "PNG")
by = season.organisers.order_by("pk")[0].user
print(picture_set(acting_user=by, owner=season, content=file.getvalue()).digest, WIDE.widths[0])
"""


def _addresses(site: Site) -> dict[str, str]:
    """An address for each route that is declared, of something that is there."""

    def one(query: str, *parameters: Any) -> Any:
        return site.sql(query, *parameters)[0][0]

    season = one(
        "SELECT season_id FROM tournaments_round GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
    )
    slug = one("SELECT slug FROM tournaments_season WHERE id = %s", season)
    contestant = one("SELECT min(id) FROM tournaments_contestant WHERE season_id = %s", season)
    death_match = one(
        "SELECT min(d.id) FROM tournaments_deathmatch d JOIN tournaments_round r ON r.id = round_id"
        " WHERE r.season_id = %s",
        season,
    )
    cup = one("SELECT slug FROM tournaments_season WHERE format = 'single-elimination' LIMIT 1")
    digest, width = site.python(_PICTURE.format(slug=slug)).split()[-2:]
    known = {
        "digest": digest, "width": width,
        "match_id": one("SELECT min(id) FROM games_match WHERE status = 'finished'"),
        "username": "ada", "slug": slug, "number": 1, "ladder": "tetronogo",
        "death_match_id": death_match,
    }  # fmt: skip
    found = {}
    for name, parts in _parts().items():
        if name not in declared():
            continue
        values = dict(known)
        if "bracket" in name:
            values["slug"] = cup
        if "pk" in parts:
            values["pk"] = contestant if "contestant" in name else death_match
        found[name] = reverse(name, kwargs={part: values[part] for part in parts})
    return found


def _plain(answer: httpx.Response) -> str:
    """What an answer says, without what is another text each time."""
    text = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", answer.text)
    return re.sub(r'"(next|previous)":\s*"[^"]*"', "", text)


def test_every_route_that_is_declared_is_read_from_it(followed: Followed, desk: Desk) -> None:
    """And says what the primary says; nobody tries to write, and nothing fails."""
    followed.site.manage("demo_data", "--force")
    followed.caught_up()
    addresses = _addresses(followed.site)
    assert set(addresses) == declared()
    followed.site.sql("UPDATE games_matchplayer SET missed_end = false")
    person = desk.person()
    followed.caught_up()
    for (name, address), cookie in covering(addresses.items(), ({}, {"Cookie": person.cookie})):
        made, answer = by(followed, address, **cookie)
        assert (made, answer.status_code) == ("replica", 200), name
        made, other = by(followed, address, **cookie, **{"Cache-Control": "no-cache"})
        assert (made, other.status_code) == ("anew", 200), name
        if answer.headers["Content-Type"].startswith(("text/html", "application/json")):
            assert _plain(answer) == _plain(other), name
        if name.startswith("api:"):
            has = {"If-None-Match": answer.headers["ETag"]}
            made, again = by(followed, address, **cookie, **has)
            assert (made, again.status_code) == ("replica", 304), name


def test_a_page_that_writes_after_all_is_asked_of_the_primary(
    followed: Followed, desk: Desk
) -> None:
    """A player who looks at a replay has seen how it ended, which is noted."""
    people = (desk.person(), desk.person())
    match = desk.match(*people)
    end(desk, match)
    followed.site.sql("UPDATE games_matchplayer SET missed_end = true WHERE match_id = %s", match)
    followed.caught_up()
    path = f"/matches/{match}/replay/"
    made, answer = by(followed, path, Cookie=people[0].cookie)
    assert (made, answer.status_code) == ("wrote", 200)
    rows = "SELECT seat, missed_end FROM games_matchplayer WHERE match_id = %s ORDER BY seat"
    assert followed.site.sql(rows, match) == [(0, False), (1, True)]
    # Nobody who only reads is sent anywhere, and who has written is.
    assert by(followed, path)[0] == "replica"
    assert by(followed, path, Cookie=people[0].cookie)[0] == "written"


# -- who has written -----------------------------------------------------------------------------


def test_who_has_written_sees_it_by_whatever_they_come(followed: Followed, desk: Desk) -> None:
    person = desk.person()
    _, token = desk.token(person, "read")
    path = f"/api/v1/challenges/?challenger={person.name.lower()}"
    offer = {"ruleset": "tetronogo", "variant": "standard"}
    with (
        followed.held_back(),
        httpx.Client(base_url=followed.site.base_url, timeout=60) as browser,
    ):
        browser.cookies.update({"sessionid": person.session, "csrftoken": CSRF})
        written = browser.post("/api/v1/challenges/", json=offer, headers={"X-CSRFToken": CSRF})
        assert written.status_code == 201, written.text
        assert len(browser.get(path).json()["results"]) == 1
        # Whoever the browser is now.
        browser.cookies.delete("sessionid")
        assert len(browser.get(path).json()["results"]) == 1
        # The account, by a token.
        own = get(followed, path, Authorization=f"Bearer {token}")
        assert len(own.json()["results"]) == 1
        # For everybody else it is not there yet.
        made, other = by(followed, path)
        assert (made, other.json()["results"]) == ("replica", [])
    assert len(get(followed, path).json()["results"]) == 1


def test_a_token_that_has_written_sees_it(followed: Followed, desk: Desk) -> None:
    person = desk.person()
    _, token = desk.token(person, "read", "play")
    mine = {"Authorization": f"Bearer {token}"}
    path = f"/api/v1/challenges/?challenger={person.name.lower()}"
    offer = {"ruleset": "tetronogo", "variant": "standard"}
    assert by(followed, path, **mine)[0] == "replica"
    with followed.held_back():
        written = httpx.post(
            f"{followed.site.base_url}/api/v1/challenges/", json=offer, headers=mine, timeout=60
        )
        assert written.status_code == 201, written.text
        assert "Set-Cookie" not in written.headers
        made, own = by(followed, path, **mine)
        assert (made, len(own.json()["results"])) == ("written", 1)


def test_without_redis_accounts_read_from_the_primary(followed: Followed, desk: Desk) -> None:
    person = desk.person()
    _, token = desk.token(person, "read")
    followed.caught_up()
    path = profile(person)
    followed.valkey.stop()
    mine = {"Authorization": f"Bearer {token}"}
    assert by(followed, "/api/v1/users/", **mine)[0] == "written"
    made, answer = by(followed, path)
    assert (made, answer.status_code) == ("replica", 200)


async def test_who_has_played_by_a_socket_sees_it(followed: Followed, desk: Desk) -> None:
    people = (desk.person(), desk.person())
    _, token = desk.token(people[0], "read")
    match = desk.match(*people)
    path = f"/api/v1/matches/?player={people[0].name.lower()}"
    with followed.held_back():
        async with await Reader.open(followed.site, match, people[0]) as reader:
            await reader.next("sync")
            assert (await reader.submit("concede"))["type"] == "ack"

        def sees() -> bool:
            own = get(followed, path, Authorization=f"Bearer {token}").json()
            return bool(own["results"][0]["status"] == "finished")

        wait_for(sees, what="the player to see it")
        made, other = by(followed, path)
        assert (made, other.json()["results"][0]["status"]) == ("replica", "running")


# -- what must not be old ------------------------------------------------------------------------


def test_it_never_says_no(followed: Followed, desk: Desk) -> None:
    """Of what it does not know yet the primary is asked, which does."""
    known = desk.match(desk.person(), desk.person())
    with followed.held_back():
        person = desk.person()
        made, answer = by(followed, profile(person))
        assert (made, answer.status_code) == ("checked", 200)
        made, answer = by(followed, f"/api/v1/users/{person.name.lower()}/")
        assert (made, answer.status_code) == ("checked", 200)
        # One that it takes for running, and one that it does not have.
        for match in (known, desk.match(person, desk.person())):
            end(desk, match)
            for path in (f"/matches/{match}/replay/", f"/matches/{match}/record.dmr.json"):
                made, answer = by(followed, path)
                assert (made, answer.status_code) == ("checked", 200), path
    made, answer = by(followed, "/u/nobody-of-that-name/")
    assert (made, answer.status_code) == ("checked", 404)


def test_who_may_not_come_in_any_more_does_not(followed: Followed, desk: Desk) -> None:
    person = desk.person()
    _, token = desk.token(person, "read")
    followed.caught_up()
    mine = {"Authorization": f"Bearer {token}"}
    assert person.name in get(followed, "/watch/", Cookie=person.cookie).text
    assert get(followed, "/api/v1/users/", **mine).status_code == 200
    with followed.held_back():
        desk.suspend(person, seconds=3600)
        made, page = by(followed, "/watch/", Cookie=person.cookie)
        assert made == "replica", "a stranger like any other"
        assert person.name not in page.text
        assert get(followed, "/api/v1/users/", **mine).status_code == 401


def test_who_may_see_more_than_others_reads_from_the_primary(
    followed: Followed, desk: Desk
) -> None:
    organiser = desk.person(role="organisers")
    followed.caught_up()
    assert by(followed, "/seasons/", Cookie=organiser.cookie)[0] == "role"


# -- what is kept --------------------------------------------------------------------------------


def test_a_leaderboard_that_it_does_not_have_yet_is_not_kept_as_the_new_one(
    followed: Followed, desk: Desk
) -> None:
    """The token is drawn with the change; the replica does not have it yet."""
    rated(followed, desk, desk.person(), desk.person())
    followed.caught_up()
    late = (desk.person(name="Latecomer-1"), desk.person(name="Latecomer-2"))
    for path in ("/leaderboards/", "/api/v1/leaderboards/overall/"):
        assert "latecomer" not in get(followed, path).text.lower()
    with followed.held_back():
        rated(followed, desk, *late)
        old = {}
        for path in ("/leaderboards/", "/api/v1/leaderboards/overall/"):
            made, old[path] = by(followed, path)
            assert made == "replica"
            assert "latecomer" not in old[path].text.lower()
    for path, answer in old.items():
        made, new = by(followed, path, **{"If-None-Match": answer.headers["ETag"]})
        assert (made, new.status_code) == ("replica", 200)
        assert "latecomer-1" in new.text.lower(), path
        assert "latecomer-1" in get(followed, path, **{"Cache-Control": "no-cache"}).text.lower()


def test_cards_that_it_does_not_have_yet_are_not_kept_as_the_new_ones(
    followed: Followed, desk: Desk
) -> None:
    match = desk.match(desk.person(), desk.person())
    followed.caught_up()
    shown = f'href="/matches/{match}/"'
    replay = f'href="/matches/{match}/replay/"'
    assert shown in get(followed, "/watch/").text
    with followed.held_back():
        end(desk, match)
        for _ in range(2):
            made, page = by(followed, "/watch/")
            assert made == "replica"
            assert (shown in page.text, replay in page.text) == (True, False)
        # The primary's readers meanwhile see it, and find nothing old.
        page = get(followed, "/watch/", **{"Cache-Control": "no-cache"})
        assert (shown in page.text, replay in page.text) == (False, True)
    made, page = by(followed, "/watch/")
    assert made == "replica"
    assert (shown in page.text, replay in page.text) == (False, True)


def test_a_season_that_has_moved_on_is_not_kept_as_it_was(followed: Followed, desk: Desk) -> None:
    slug = desk.hand.call(f"{__name__}:season_made")
    followed.caught_up()
    path = f"/seasons/{slug}/"
    first = get(followed, path)
    assert "As it was" in first.text
    with followed.held_back():
        desk.hand.call(f"{__name__}:season_changed", slug=slug)
        made, old = by(followed, path)
        assert (made, "As it was" in old.text) == ("replica", True)
        anew = get(followed, path, **{"Cache-Control": "no-cache"})
        assert "As it is" in anew.text
        assert anew.headers["ETag"] != old.headers["ETag"]
        # A page says which state it shows, for the script that asks whether there is another.
        state = get(followed, f"{path}state.json").json()["state"]
        assert f'data-shows="{state}"' in anew.text
        assert f'data-shows="{state}"' not in old.text
        assert "data-shows" in old.text
    for answer in (first, old):
        new = get(followed, path, **{"If-None-Match": answer.headers["ETag"]})
        assert (new.status_code, "As it is" in new.text) == (200, True)
    # Nor is anything said of the moment of a change that another may yet share.
    api = f"/api/v1/seasons/{slug}/standings/"
    wait_for(
        lambda: "Last-Modified" in get(followed, api, **{"Cache-Control": "no-cache"}).headers,
        what="the second of the change to pass",
    )
    made, answer = by(followed, api)
    assert (made, answer.status_code, "Last-Modified" in answer.headers) == ("replica", 200, False)


# -- behind, dead, hung --------------------------------------------------------------------------


def test_one_that_is_too_far_behind_is_not_asked(followed: Followed, desk: Desk) -> None:
    """Nothing is shown for longer than the settings allow."""
    person = desk.person()
    other = another(followed, GAUNTLET_REPLICA_LAG_MS="3000")
    try:
        address = f"{other.base_url}{profile(person)}"
        followed.caught_up()
        with followed.held_back():
            rename(desk, person, "Another Name")
            # By then it lags by more than three seconds, though all that is written are beats.
            wait_for(
                lambda: "Another Name" in httpx.get(address, timeout=60).text,
                what="the primary to be asked",
            )
            assert figures(other.base_url)["gauntlet_replica_lag_seconds"] > 3
            wait_for(lambda: why(other.web, "lags"), what="it to say so")
        wait_for(lambda: asks(other), what="it to be asked again")
    finally:
        other.stop()


def test_one_that_is_killed_is_not_missed(followed: Followed, desk: Desk) -> None:
    person = desk.person()
    followed.caught_up()
    assert by(followed, profile(person))[0] == "replica"
    followed.kill_standby()
    for _ in range(5):
        assert get(followed, profile(person)).status_code == 200
    followed.not_asked()
    rename(desk, person, "While it was away")
    assert "While it was away" in get(followed, profile(person)).text
    assert followed.site.answers()
    ready = get(followed, "/readyz")
    assert (ready.status_code, ready.json()["replica"]) == (200, False)
    assert why(followed.site.web, "away")
    start(followed.standby)
    followed.asked()
    assert by(followed, profile(person))[0] == "replica"


def test_one_that_hangs_keeps_nobody(followed: Followed, desk: Desk) -> None:
    """Those who have asked it already, too."""
    person = desk.person()
    followed.caught_up()
    # Connections that are there and taken when it hangs.
    get(followed, profile(person))
    with followed.hung(), ThreadPoolExecutor(8) as many:
        address = f"{followed.site.base_url}{profile(person)}"
        asked = [many.submit(httpx.get, address, timeout=PAGE_S) for _ in range(24)]
        assert {each.result().status_code for each in asked} == {200}
        followed.not_asked()
    followed.asked()


def test_what_is_no_standby_is_never_asked(followed: Followed, desk: Desk) -> None:
    other = another(followed, asked=False, GAUNTLET_REPLICA_URL=followed.site.database_url)
    try:
        wait_for(lambda: told(other) is not None and why(other.web, "no-standby"), what="a word")
        assert httpx.get(f"{other.base_url}/watch/", timeout=60).status_code == 200
        assert not asks(other)
    finally:
        other.stop()


# -- however it is reached -----------------------------------------------------------------------


def test_behind_a_pooler_it_is_read_the_same(
    followed: Followed, desk: Desk, tmp_path: Path
) -> None:
    """Each transaction may have another of the pooler's connections, and nothing is said to any."""
    if PGBOUNCER is None:
        pytest.skip("NO PGBOUNCER: install it to try the replica behind one")
    person = desk.person()
    followed.caught_up()
    address = followed.standby.url_of(followed.site.database)
    with pooled(address, tmp_path / "bouncer") as behind:
        other = another(followed, GAUNTLET_REPLICA_URL=behind, GAUNTLET_DB_POOLER="true")
        try:
            with followed.held_back():
                rename(desk, person, "Renamed")
                for _ in range(20):
                    page = httpx.get(f"{other.base_url}{profile(person)}", timeout=60)
                    assert (page.status_code, "Renamed" in page.text) == (200, False)
            reads = figures(other.base_url)
            assert reads['gauntlet_replica_reads_total{by="replica"}'] == 20
            assert reads.keys().isdisjoint({'gauntlet_replica_reads_total{by="failed"}'})
        finally:
            other.stop()


def test_a_role_that_may_only_read_will_do(followed: Followed, desk: Desk) -> None:
    person = desk.person()
    for statement in (
        "DROP ROLE IF EXISTS reads_only",
        "CREATE ROLE reads_only LOGIN PASSWORD 'reads-only'",
        "GRANT pg_read_all_data TO reads_only",
    ):
        followed.site.sql(statement)
    followed.caught_up()
    parts = urlsplit(followed.standby.url_of(followed.site.database))
    address = parts._replace(netloc=f"reads_only:reads-only@127.0.0.1:{parts.port}").geturl()
    other = another(followed, GAUNTLET_REPLICA_URL=address)
    try:
        assert httpx.get(f"{other.base_url}{profile(person)}", timeout=60).status_code == 200
        assert figures(other.base_url)['gauntlet_replica_reads_total{by="replica"}'] == 1
    finally:
        other.stop()


# -- support -------------------------------------------------------------------------------------


def another(followed: Followed, *, asked: bool = True, **settings: str) -> AnotherWeb:
    """One more web process with other settings, once it asks the standby."""
    other = AnotherWeb(followed.site)
    other.web.env = {**followed.site.env, **settings}
    other.web.start()
    if asked:
        wait_for(lambda: asks(other), what="the standby to be asked")
    return other


def why(process: Process, code: str) -> bool:
    """Whether a process has said that it does not ask the replica, and this as the reason."""
    lines = [line for line in process.log().splitlines() if "replica.not-asked" in line]
    return any(f"why={code}" in line for line in lines)


def asks(web: AnotherWeb) -> bool:
    return told(web) == 1.0


def told(web: AnotherWeb) -> float | None:
    return figures(web.base_url).get("gauntlet_replica_asked")


def end(desk: Desk, match: int) -> None:
    """The match is over, since a player gives up; nobody here has written it."""
    desk.play(match)
    desk.concede(match)


def rated(followed: Followed, desk: Desk, *people: Person) -> None:
    """A match of these is over and rated, and what was kept of the leaderboard is not used."""
    before = desk.hand.call(f"{__name__}:token_of_ladder")
    end(desk, desk.match(*people))

    def is_new() -> bool:
        return bool(desk.hand.call(f"{__name__}:token_of_ladder") != before)

    wait_for(is_new, what="the match to be rated")


def token_of_ladder() -> str:
    from games.ratings.keys import _token_of

    return _token_of("overall")


def season_made() -> str:
    from accounts.models import User
    from tournaments.services.seasons import season_create, season_list

    root = User.objects.create_superuser("keeper-of-seasons")
    season = season_create(
        acting_user=root, name="A season", format="round-robin", settings={"summary": "As it was."}
    )
    season_list(acting_user=root, season=season)
    return season.slug


def season_changed(*, slug: str) -> None:
    from accounts.models import User
    from tournaments.models import Season
    from tournaments.services.seasons import season_update

    season_update(
        acting_user=User.objects.get(username="keeper-of-seasons"),
        season=Season.objects.get(slug=slug),
        changes={"summary": "As it is."},
    )
