"""The page that leads from a bare Debian to a running site (`deploy/README.md`, "By systemd"),
followed: what it names is there, and what it has one do is done, with this machine's database and
Redis, and with folders and addresses of the test's own."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest
from django.core.management import get_commands
from psycopg.sql import SQL, Identifier

from script.lib.console import ROOT
from tests.operations.test_scraping import address, told
from tests.support.deploy import DEPLOY, enabled, example, placed, unit, unit_environment
from tests.support.site import Process

PAGE = (DEPLOY / "README.md").read_text()
SECTION = PAGE[PAGE.index("## By systemd") : PAGE.index("## By uvicorn")]
BLOCKS = [
    block.replace("\\\n", " ") for block in re.findall(r"^```\n(.*?)^```", SECTION, re.M | re.S)
]
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line]
# It takes half a minute; a machine that stood still for many has been seen. Seconds.
WITHIN_S = 1_500
# What is made by whom, before anything can refer to it.
MADE = {
    "/etc/gauntlet/gauntlet.env": "install -m 640 -g gauntlet deploy/gauntlet.env.example",
    "/etc/gauntlet/direct.env": "install -m 640 -g gauntlet /dev/null",
    "/etc/gauntlet/owner.env": "install -m 600 /dev/null",
    "/usr/local/bin/gauntlet-manage": "install -m 755 deploy/gauntlet-manage",
    "/etc/nginx/gauntlet-webs.conf": "install -m 644 deploy/webs-systemd.conf",
    "/etc/nginx/nginx.conf": "install -m 644 deploy/nginx.conf",
    "/etc/systemd/system/": "install -m 644 deploy/systemd/*",
}


def block(holding: str) -> str:
    """The commands of the one block that begins with these words."""
    found: str
    (found,) = [each for each in BLOCKS if each.startswith(holding)]
    return found


# -- what the page names -------------------------------------------------------------------------


def test_the_blocks_are_a_shell_s() -> None:
    assert len(BLOCKS) >= 9
    for each in BLOCKS:
        done = subprocess.run(["sh", "-n"], input=each, text=True, check=False)
        assert done.returncode == 0, each


def test_what_runs_is_stopped_deployed_and_started_again() -> None:
    """Every unit, by name, in docs/operating.md: also what is enabled one day."""
    page = (ROOT / "docs" / "operating.md").read_text()
    for done in ("restart", "start"):
        lines = re.findall(rf"^systemctl {done} .*$", page, re.M)
        named = {word for line in lines for word in re.findall(r"gauntlet-([\w@]+)", line)}
        assert named - {"backup"} == {*enabled()}, done
    (line,) = re.findall(r"^systemctl stop (.*gauntlet.*)$", page, re.M)
    stopped = {word.strip("'").removesuffix("*") for word in line.split()}
    assert stopped == {
        f"gauntlet-{name.partition('@')[0]}{'@' * ('@' in name)}" for name in enabled()
    }


def test_every_file_of_the_checkout_that_is_named_is_there() -> None:
    named = {
        word
        for line in COMMANDS
        for word in re.findall(r"(?<![\w/])(?:deploy/[\w./*@-]+|[\w-]+\.txt)", line)
        if word not in ("userlist.txt",)
    }
    assert len(named) > 6
    for word in named:
        assert list(ROOT.glob(word)), word


def test_what_is_referred_to_has_been_made_before() -> None:
    for path, by in MADE.items():
        (place,) = [n for n, line in enumerate(COMMANDS) if line == f"{by} {path}"]
        uses = [n for n, line in enumerate(COMMANDS) if path in line and not line.endswith(path)]
        assert all(n > place for n in uses), path
    # And what the units and the proxy want is what was made.
    units = "".join(path.read_text() for path in (DEPLOY / "systemd").iterdir())
    assert set(re.findall(r"^EnvironmentFile=-?(.*)$", units, re.M)) == {
        "/etc/gauntlet/gauntlet.env", "/etc/gauntlet/direct.env", "/etc/gauntlet/owner.env",
    }  # fmt: skip
    for path in re.findall(r"^ +ssl_certificate(?:_key)? (.*);", _nginx(), re.M):
        assert path in block("install -d -m 700 /etc/gauntlet/tls")
    assert {"git clone ADDRESS /opt/gauntlet", "cd /opt/gauntlet", "python3 -m venv .venv"} <= {
        *COMMANDS
    }


def _nginx() -> str:
    return (DEPLOY / "nginx.conf").read_text()


def test_every_unit_that_is_named_is_there() -> None:
    named = {
        word
        for line in COMMANDS
        if line.startswith(("systemctl", "journalctl"))
        for word in re.findall(r"gauntlet-[\w@.-]+", line)
    }
    assert {f"gauntlet-{name}" for name in enabled()} <= named
    for word in named - {"gauntlet-"}:
        name, at, _ = word.partition("@")
        name = f"{name}{at}"
        assert (DEPLOY / "systemd" / (name if "." in name else f"{name}.service")).is_file(), word


def test_every_command_and_setting_that_is_named_is_there() -> None:
    operating = (ROOT / "docs" / "operating.md").read_text()
    commands = re.findall(r"(?:gauntlet-manage|manage\.py) ([a-z_]+)", PAGE + operating)
    assert {"migrate", "collectstatic", "createsuperuser", "check", "restore"} <= {*commands}
    assert {*commands} <= {*get_commands()}
    filled = set(re.findall(r"s\|\^([A-Z_]+)=", block("install -d -m 755 /etc/gauntlet")))
    assert {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "GAUNTLET_DB_POOLER"} == filled
    assert filled <= set(example())
    table = re.findall(r"^\| `([A-Z_]+)`", SECTION, re.M)
    assert set(table) <= set(example())
    # Nobody is left to say what nobody has been told to.
    loose = {
        name for name, value in example().items() if "CHANGE-ME" in value or ".example" in value
    }
    assert loose - {"POSTGRES_PASSWORD", "POSTGRES_SITE_PASSWORD"} <= filled | {*table}


# -- what the page has one do --------------------------------------------------------------------


class Followed:
    """A machine that was set up by the page, as far as it can be within a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.etc = folder / "etc"
        self.data = folder / "var"
        self.data.mkdir()
        own = urlsplit(os.environ["DATABASE_URL"])
        self.admin_url = own.geturl()
        self.database = f"gauntlet_followed_{secrets.token_hex(4)}"
        self.owner = own.netloc
        # The site's own role, as the page has it made.
        self.role, self.password = f"gauntlet_{secrets.token_hex(4)}", secrets.token_hex(12)
        self.netloc = f"{self.role}:{self.password}@{own.hostname}:{own.port}"
        source = secrets.SystemRandom()
        self.host = f"127.{source.randrange(16, 250)}.{source.randrange(1, 250)}.7"
        self.processes: list[Process] = []
        shutil.copytree(DEPLOY, folder / "deploy")

    def here(self, text: str, **more: str) -> str:
        """Paths of the page, the units and the wrapper, as they are here."""
        places = {
            "/opt/gauntlet/.venv/bin": str(Path(sys.executable).parent),
            "/opt/gauntlet": str(ROOT),
            "/etc/gauntlet": str(self.etc),
            "/var/lib/gauntlet": str(self.data),
            "/usr/local/bin": str(self.folder),
            " -g gauntlet": "",
            **more,
        }
        for old, new in places.items():
            text = text.replace(old, new)
        return text

    def sh(self, commands: str) -> str:
        """Run commands of the page as it has them run, in one shell that stops at the first that
        fails; returns what they printed."""
        path = f"{self.folder}:{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-eu"], input=f"password={self.password}\n{commands}", cwd=self.folder,
            env={"PATH": path, "DJANGO_SUPERUSER_PASSWORD": "a long one, of a test"},
            capture_output=True, text=True, timeout=WITHIN_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
        return done.stdout

    def run(self, name: str) -> Process:
        """A process of a unit's, with what systemd would have it be given."""
        kind, at, instance = name.partition("@")
        path = self.folder / "deploy" / "systemd" / f"gauntlet-{kind}{at}.service"
        command = unit(path)["Service"]["ExecStart"].replace("%i", instance).replace("%%h", "here")
        words = [word.strip('"') for word in self.placed_address(self.here(command)).split()]
        env = {"PATH": os.environ["PATH"]}
        given = unit_environment(path, instance)
        env |= {key: self.placed_address(self.here(value)) for key, value in given.items()}
        for file in re.findall(r"^EnvironmentFile=(-?)(.*)$", path.read_text(), re.M):
            env |= settings_in(Path(self.here(file[1])), optional=file[0] == "-")
        process = Process(
            name, words, env=env, log=self.folder / f"{name}.log",
            ready=lambda it: self.is_well(instance) if kind == "web" else " ready" in it.log(),
        )  # fmt: skip
        self.processes.append(process)
        return process

    def placed_address(self, text: str) -> str:
        """With an address of this machine that nobody else has, in place of everybody's."""
        return text.replace("127.0.0.1", self.host)

    def is_well(self, port: str) -> bool:
        """Whether the page's own command says so."""
        (line,) = [each for each in COMMANDS if "healthcheck.py" in each]
        script = self.folder / "deploy" / "healthcheck.py"
        script.write_text(self.placed_address(script.read_text()))
        line = placed(line, {"8001": port, "python3": sys.executable})
        done = subprocess.run(
            ["sh", "-c", line], cwd=self.folder, capture_output=True, text=True, check=False
        )
        return done.stdout == "well\n"

    def admin(self, statement: str) -> None:
        with psycopg.connect(self.admin_url, autocommit=True) as connection:
            connection.execute(SQL(statement).format(Identifier(self.database)))


def settings_in(path: Path, *, optional: bool = False) -> dict[str, str]:
    """What a file of settings holds, as systemd reads it."""
    if optional and not path.exists():
        return {}
    lines = [line for line in path.read_text().splitlines() if line and line[0] not in "#;"]
    return dict(line.split("=", 1) for line in lines)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    """The page followed up to its processes."""
    machine = Followed(tmp_path_factory.mktemp("followed"))
    machine.admin("CREATE DATABASE {}")
    (line,) = [each for each in COMMANDS if "CREATE ROLE gauntlet_site" in each]
    made = re.search(r'"(CREATE ROLE .*)"', line)
    assert made is not None
    machine.admin(placed(made[1], {"gauntlet_site": machine.role, "$password": machine.password}))
    try:
        redis = urlsplit(os.environ["REDIS_URL"]).netloc
        machine.sh(placed(machine.here(block("install -d -m 755 /etc/gauntlet")), {
            "gauntlet_site:$password@127.0.0.1:5432/gauntlet":
                f"{machine.netloc}/{machine.database}",
            "gauntlet:$owner_password@127.0.0.1:5432/gauntlet":
                f"{machine.owner}/{machine.database}",
            "redis://127.0.0.1:6379": f"redis://{redis}",
        }))  # fmt: skip
        with (machine.etc / "gauntlet.env").open("a") as file:
            # Of the tests' own Redis nobody else's keys are to be touched.
            file.write(f"GAUNTLET_REDIS_PREFIX={machine.database}\n")
        wrapper = machine.folder / "deploy" / "gauntlet-manage"
        text = machine.here(wrapper.read_text())
        # Tests are one user's alone.
        wrapper.write_text(placed(text, {"runuser -u gauntlet --": "env FOLLOWED=1",
                                         '"$(id -u)" = 0': '-z "${FOLLOWED-}"'}))  # fmt: skip
        commands = placed(machine.here(block("install -m 755 deploy/gauntlet-manage")), {
            "createsuperuser": "createsuperuser --no-input --username ruth --email r@test.example",
        })  # fmt: skip
        machine.sh(commands)
        yield machine
    finally:
        for process in machine.processes:
            process.kill()
        machine.admin("DROP DATABASE IF EXISTS {} WITH (FORCE)")
        machine.admin(f"DROP ROLE IF EXISTS {machine.role}")


@pytest.mark.site
@pytest.mark.timeout(WITHIN_S + 300)
@pytest.mark.xdist_group("by-systemd")
def test_what_was_filled_in_is_what_is_needed(followed: Followed) -> None:
    path = followed.etc / "gauntlet.env"
    found = settings_in(path)
    assert path.stat().st_mode & 0o777 == 0o640
    assert re.fullmatch(r"[0-9a-f]{80}", found["SECRET_KEY"])
    assert found["GAUNTLET_DB_POOLER"] == "false"
    # Nothing of the containers' is left.
    assert not {"POSTGRES_PASSWORD", "POSTGRES_SITE_PASSWORD", "DATABASE_OWNER_URL"} & {*found}
    owner = followed.etc / "owner.env"
    assert owner.stat().st_mode & 0o777 == 0o600
    assert settings_in(owner).keys() == {"DATABASE_OWNER_URL"}
    assert not [value for value in found.values() if "CHANGE-ME" in value]
    assert not [
        value for value in found.values() if re.search(r"//(.*@)?(valkey|pgbouncer)", value)
    ]
    assert (followed.data / "static" / "staticfiles.json").is_file()
    said = followed.sh(
        "gauntlet-manage shell --command 'from accounts.models import User; from django.conf import"
        " settings; print(settings.DEFAULT_FROM_EMAIL, User.objects.get().is_superuser)'"
    )
    # With its space and its brackets: no shell has read it.
    assert said.splitlines()[-1] == f"{example()['GAUNTLET_FROM_EMAIL']} True"


@pytest.mark.site
@pytest.mark.timeout(WITHIN_S + 300)
@pytest.mark.xdist_group("by-systemd")
def test_all_units_run_are_well_and_are_read(followed: Followed) -> None:
    processes = [followed.run(name) for name in enabled()]
    for process in processes:
        process.launch()
    for process in processes:
        process.wait_until_ready()
    roles = {}
    for job, targets in told("systemd.yml").items():
        for target in targets:
            where = followed.placed_address(target)
            text = httpx.get(f"http://{where}/metrics", timeout=60).text
            (role,) = re.findall(r'gauntlet_build_info\{.*role="(\w+)".*\} 1', text)
            assert job == f"gauntlet-{role}"
            roles[where] = role
    assert len(roles) == len(processes)
    assert roles.keys() == {followed.placed_address(address(name)) for name in enabled()}


@pytest.mark.site
@pytest.mark.timeout(WITHIN_S + 300)
@pytest.mark.xdist_group("by-systemd")
def test_backups_and_commands_go_past_pgbouncer(followed: Followed) -> None:
    """There is nothing where the site's own settings say that PgBouncer is."""
    commands = block("install -m 640 -g gauntlet /dev/null /etc/gauntlet/direct.env")
    commands = commands[: commands.index("systemctl")]
    before = (followed.etc / "gauntlet.env").read_text()
    try:
        followed.sh(placed(followed.here(commands), {
            "gauntlet_site:$password@127.0.0.1:5432/gauntlet":
                f"{followed.netloc}/{followed.database}",
            "127.0.0.1:6432/gauntlet": f"127.0.0.1:1/{followed.database}",
        }))  # fmt: skip
        assert ":1/" in settings_in(followed.etc / "gauntlet.env")["DATABASE_URL"]
        assert "No migrations to apply" in followed.sh("gauntlet-manage migrate --no-input")
        (followed.data / "backups").mkdir()
        backup = followed.run("backup")
        backup.argv = [backup.argv[0], str(ROOT / "manage.py"), *backup.argv[2:]]
        backup.launch()
        assert backup.child is not None
        assert backup.child.wait(timeout=300) == 0, backup.log()
        assert len([*(followed.data / "backups").iterdir()]) == 1
    finally:
        (followed.etc / "gauntlet.env").write_text(before)
        (followed.etc / "direct.env").unlink()
