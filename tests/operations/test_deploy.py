"""What operators deploy with: read through everywhere, and tried where the programs are."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from config.settings import base
from script.lib.console import ROOT
from script.lib.ports import free_port
from script.lib.server import bots_command, deadlines_command, web_command, worker_command
from tests.support import depth
from tests.support.deploy import DEPLOY, compose, enabled, example, image_command, parts, unit
from tests.support.fronts import NAME, RESOLVES_SINCE, WEBS, WEBS_OF_COMPOSE, certificate
from tests.support.site import wait_for

UNITS = sorted((DEPLOY / "systemd").iterdir())
PROCESSES = {"web@", "worker@", "deadlines@", "bots@", "beat"}
README = (ROOT / "README.md").read_text()
KEY = "0123456789abcdefghij" * 3  # long and of many letters, as the checks ask


def settings_known() -> set[str]:
    """Every variable that the settings read."""
    text = "".join(path.read_text() for path in (ROOT / "config" / "settings").glob("*.py"))
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', text))
    return read | {"DJANGO_SETTINGS_MODULE", "GAUNTLET_DATA"}


def without(program: str) -> pytest.MarkDecorator:
    """Skips, and says so, where a program is not there."""
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"NO {program.upper()}: install it to try this"
    )


# What each command begins with: where the values are that the file itself refers to.
COMPOSE = "docker compose --env-file deploy/gauntlet.env --file deploy/compose.yaml"


def has_compose() -> bool:
    """Whether this machine has Docker's Compose."""
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    return asked.returncode == 0


def has_docker() -> bool:
    """Whether containers can be run here."""
    if not has_compose():
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0


def production_commands() -> list[str]:
    """The commands of README's section on production, without options of where to listen."""
    section = README[README.index("## Production") : README.index("| variable |")]
    found = re.findall(r"`((?:daphne|celery) [^`]+)`", section)
    return [" ".join(command.split()) for command in found]


def essential(command: str) -> str:
    """A command without where it listens, how much it says, and which one of several it is."""
    words = command.replace("%%h", "%h").replace('""', "").split()
    words[0] = Path(words[0]).name
    kept: list[str] = []
    passing = False
    for word in words:
        if passing:
            passing = False
        elif word in ("--bind", "--host", "--port", "--verbosity", "--pidfile"):
            passing = word != "--pidfile"
        elif word != "--no-server-name":
            kept.append(re.sub(r"-%i@", "@", word))
    return " ".join(kept)


# -- settings ------------------------------------------------------------------------------------


def test_the_example_names_what_there_is_and_what_must_be() -> None:
    named = set(example())
    assert named - settings_known() == {"POSTGRES_PASSWORD", "POSTGRES_SITE_PASSWORD"}
    assert named >= {"SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"}
    assert example()["SECRET_KEY"] == ""
    secrets = {value for name, value in example().items() if name.endswith("_PASSWORD")}
    assert secrets <= {"", "CHANGE-ME"}


def test_the_site_starts_with_the_example_filled_in(tmp_path: Path) -> None:
    environment = {**example(), "SECRET_KEY": KEY, "GAUNTLET_DATA": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    del environment["SECRET_KEY"]
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "SECRET_KEY" in done.stderr


# -- the same commands everywhere ----------------------------------------------------------------


def test_readme_units_and_containers_run_the_same() -> None:
    wanted = {essential(each) for each in production_commands()}
    assert len(wanted) == 5
    units = {
        path.name.removeprefix("gauntlet-").removesuffix(".service"): essential(
            unit(path)["Service"]["ExecStart"]
        )
        for path in UNITS
        if path.suffix == ".service" and "backup" not in path.name
    }
    assert set(units) == PROCESSES
    assert set(units.values()) == wanted
    services = compose()["services"]
    commands = [service.get("command") for service in services.values() if "<<" not in service]
    of_ours = [essential(" ".join(each)) for each in commands if each and each[0] == "celery"]
    assert {*of_ours, essential(" ".join(image_command()))} == wanted
    # Each of those that a match needs is there twice, and bots' worker, which none does, once.
    counts = {each: of_ours.count(each) for each in wanted if " worker " in each}
    assert counts == {each: 1 if queue_of(each.split()) == "bots" else 2 for each in counts}


def test_they_run_what_tests_run() -> None:
    """Limits of messages and handshakes are those that everything is tested with."""
    ours = [str(word) for word in web_command(Path("python"), 3)]
    web = unit(DEPLOY / "systemd" / "gauntlet-web@.service")["Service"]["ExecStart"]
    for words in (image_command(), web.split()):
        for option in (word for word in ours if word.startswith("--websocket")):
            assert words[words.index(option) + 1] == ours[ours.index(option) + 1]


def queue_of(words: Sequence[str]) -> str:
    """The queue that a command's worker takes tasks from; empty: the ordinary one."""
    return words[words.index("--queues") + 1] if "--queues" in words else ""


@pytest.mark.parametrize(
    ("kind", "tested"),
    [("deadlines", deadlines_command), ("worker", worker_command), ("bots", bots_command)],
)
def test_workers_do_without_what_they_are_tested_without(
    kind: str, tested: Callable[[Path], list[str | Path]]
) -> None:
    """Workers that talk to each other cost the broker something, and tell us nothing."""
    wanted = {str(word) for word in tested(Path("python")) if str(word).startswith("--without-")}
    assert len(wanted) == 3
    run = unit(DEPLOY / "systemd" / f"gauntlet-{kind}@.service")["Service"]["ExecStart"].split()
    queue = queue_of(run)
    services = [service["command"] for service in compose()["services"].values()
                if service.get("command", [""])[0] == "celery" and "worker" in service["command"]
                and queue_of(service["command"]) == queue]  # fmt: skip
    written = [each.split() for each in production_commands()
               if " worker " in each and queue_of(each.split()) == queue]  # fmt: skip
    assert (len(services), len(written)) == (1 if queue == "bots" else 2, 1)
    for words in (run, *services, *written):
        assert {word for word in words if word.startswith("--without-")} == wanted


@pytest.mark.parametrize(
    ("kind", "nice"), [("worker", base.GAUNTLET_WORKER_NICE), ("bots", base.GAUNTLET_BOT_NICE)]
)
def test_who_stands_back_does_so_for_other_units_and_containers_too(kind: str, nice: int) -> None:
    """Being nice counts among the processes of one unit, or container, where those are weighed.
    Each step of it is a fourth more or less (sched(7)); nobody else has a weight of their own."""
    share = 1.25**-nice
    weights = {
        path.name: service["CPUWeight"]
        for path in UNITS
        if path.suffix == ".service" and "CPUWeight" in (service := unit(path)["Service"])
    }
    assert weights.keys() == {"gauntlet-worker@.service", "gauntlet-bots@.service"}
    assert int(weights[f"gauntlet-{kind}@.service"]) == round(100 * share)
    shares = {
        name: service["cpu_shares"]
        for name, service in compose()["services"].items()
        if "cpu_shares" in service
    }
    assert {name.partition("-")[0] for name in shares} == {"worker", "bots"}
    assert shares[f"{kind}-1"] == pytest.approx(1024 * share, rel=0.02)


# -- systemd -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_says_how_it_ends_and_what_it_may(path: Path) -> None:
    parsed = unit(path)
    assert parsed["Unit"]["Description"].startswith("Gauntlet: ")
    if path.suffix == ".timer":
        assert "OnCalendar" in parsed["Timer"]
        return
    service = parsed["Service"]
    assert service["User"] == "gauntlet"
    for name, value in (
        ("NoNewPrivileges", "true"), ("ProtectSystem", "strict"), ("ProtectHome", "true"),
        ("CapabilityBoundingSet", ""),
    ):  # fmt: skip
        assert service[name] == value
    assert service["ExecStart"].startswith("/opt/gauntlet/.venv/bin/")
    if service["Type"] != "oneshot":
        assert (service["KillSignal"], service["Restart"]) == ("SIGTERM", "always")
        # What a process gives to what is under way, and more.
        assert int(service["TimeoutStopSec"]) >= 15
        assert parsed["Install"]["WantedBy"] == "multi-user.target"


def written(folder: Path) -> list[str]:
    """Put the units into a folder, with the site where it would be, since systemd looks for the
    programs; returns their names."""
    for path in UNITS:
        for name in {path.name, path.name.replace("@.", "@1.")}:
            (folder / name).write_text(here(path.read_text()))
    return [path.name.replace("@.", "@1.") for path in UNITS]


def here(text: str) -> str:
    """What is said of `/opt/gauntlet`, said of this checkout."""
    text = text.replace("/opt/gauntlet/.venv/bin", str(Path(sys.executable).parent))
    return text.replace("/opt/gauntlet", str(ROOT))


def verified(folder: Path, *names: str) -> list[str]:
    """What systemd has against units in a folder."""
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(folder / name) for name in names)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [line for line in done.stderr.splitlines() if "gauntlet" in line]


@without("systemd-analyze")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    assert verified(tmp_path, *written(tmp_path)) == []
    # It would say so.
    broken = tmp_path / "gauntlet-beat.service"
    broken.write_text(broken.read_text().replace("Restart=always", "Restart=sometimes"))
    assert verified(tmp_path, broken.name)


# -- uvicorn -------------------------------------------------------------------------------------

DROP_IN = DEPLOY / "uvicorn.conf"


def test_uvicorn_is_run_as_its_page_says() -> None:
    first, command = re.findall(r"^ExecStart=(.*)$", DROP_IN.read_text(), re.MULTILINE)
    assert first == ""  # else both would run
    page = (ROOT / "docs" / "servers.md").read_text()
    (wanted,) = re.findall(r"^(python -m config\.serve .*)$", page, re.MULTILINE)
    assert essential(command) == essential(wanted)
    assert command.endswith("--host 127.0.0.1 --port %i")
    readme = (DEPLOY / "README.md").read_text()
    (listed,) = re.findall(r"`command: \[(.*)\]`", readme)
    assert essential(listed.replace(",", "").replace('"', "")) == essential(wanted)
    assert "requirements-uvicorn.txt" in readme
    assert (ROOT / "requirements-uvicorn.txt").is_file()


@without("systemd-analyze")
def test_systemd_takes_the_unit_with_uvicorn(tmp_path: Path) -> None:
    written(tmp_path)
    folder = tmp_path / "gauntlet-web@.service.d"
    folder.mkdir()
    text = here(DROP_IN.read_text())
    (folder / "uvicorn.conf").write_text(text)
    assert verified(tmp_path, "gauntlet-web@1.service") == []
    # It is read with the unit: without the first line, or with another program, it would be told.
    for broken in (text.replace("ExecStart=\n", ""), text.replace("bin/python", "bin/pythoness")):
        (folder / "uvicorn.conf").write_text(broken)
        assert verified(tmp_path, "gauntlet-web@1.service")


# -- containers ----------------------------------------------------------------------------------


def test_the_image_is_pinned_unprivileged_and_holds_no_secret() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    bases = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    assert len(bases) == 2
    assert all(re.fullmatch(r"[\w/-]+:\d+\.\d+[\w.-]*", base) for base in bases)
    last = text[text.rindex("\nFROM ") :]
    assert re.search(r"^USER gauntlet$", last, re.MULTILINE)
    assert last.index("\nUSER ") < last.index("\nCMD ")
    assert "HEALTHCHECK" in last
    assert "STOPSIGNAL SIGTERM" in last
    assert not re.search(r"^(ENV|ARG).*(SECRET|PASSWORD|TOKEN)", text, re.MULTILINE)
    for names in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        for name in names.split():
            assert name == "." or ROOT / name in taken(), (
                "it is left out of what an image is made of"
            )


# What a line of a Dockerfile may begin with.
INSTRUCTIONS = {
    "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL",
    "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
}  # fmt: skip


def dockerfiles() -> dict[str, str]:
    """What images are made by: the site's file, and those that stand in the Compose file."""
    within = {
        f"compose.yaml: {name}": str(service["build"]["dockerfile_inline"])
        for name, service in compose()["services"].items()
        if "dockerfile_inline" in service.get("build", {})
    }
    return {"Dockerfile": (DEPLOY / "Dockerfile").read_text(), **within}


def faults_of(dockerfile: str) -> list[str]:
    """The lines, each with what continues it, that are not what a builder takes."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    whole = re.sub(r"\\\n", " ", "\n".join(lines)).splitlines()
    found = [line for line in whole if line.strip() and not is_instruction(line)]
    first = next((line for line in whole if line.strip()), "")
    return found if first.split(" ")[0] in ("FROM", "ARG") else [first, *found]


def is_instruction(line: str) -> bool:
    """Whether a builder takes a line: by its first word, and what it has to run by what runs it."""
    name, _, rest = line.partition(" ")
    rest = rest.strip()
    if name not in INSTRUCTIONS or not rest:
        return False
    if name == "HEALTHCHECK" and rest != "NONE":
        options = re.fullmatch(r"((?:--[a-z-]+=\S+\s+)*)CMD\s+(.+)", rest)
        return options is not None and is_instruction(f"CMD {options[2]}")
    if name in ("CMD", "ENTRYPOINT", "RUN", "SHELL") and rest.startswith("["):
        try:
            words = json.loads(rest)
        except ValueError:
            return False
        return bool(words) and all(isinstance(word, str) for word in words)
    if name in ("CMD", "ENTRYPOINT", "RUN"):
        return (
            subprocess.run(["sh", "-n", "-c", rest], capture_output=True, check=False).returncode
            == 0
        )
    if name == "COPY":
        return len([word for word in rest.split() if not word.startswith("--")]) >= 2
    if name == "ENV":
        return all("=" in word for word in shlex.split(rest))
    return True


@pytest.mark.parametrize("name", dockerfiles())
def test_images_are_made_by_what_a_builder_takes(name: str) -> None:
    """Without a builder, read; with one it is tried (`test_image.py`)."""
    assert faults_of(dockerfiles()[name]) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("RUN groupadd", "RUUN groupadd"),
        ("useradd --uid 10001 --gid gauntlet --no-create-home --home-dir /nonexistent gauntlet \\",
         "useradd gauntlet"),
        ('"daphne", "--bind"', '"daphne" "--bind"'),
        ('CMD ["python", "deploy/healthcheck.py"', 'CMD [python, "deploy/healthcheck.py"'),
        ("--start-period=60s", "start period"),
        ("RUN python -m compileall -q /app", "RUN python -m compileall -q (/app"),
        ("COPY . /app", "COPY ."),
        ("PYTHONUNBUFFERED=1", "PYTHONUNBUFFERED 1"),
        ("USER gauntlet", "USER"),
        ("FROM python:3.13.7-slim-bookworm AS packages\n", ""),
    ],
)  # fmt: skip
def test_a_slip_in_what_makes_the_image_is_noticed(right: str, wrong: str) -> None:
    text = dockerfiles()["Dockerfile"]
    assert right in text
    assert faults_of(text.replace(right, wrong, 1)) != []


def taken() -> list[Path]:
    """What the image is built of."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "**" in lines, "nothing but what is named"
    return [ROOT / line[1:] for line in lines if line.startswith("!")]


def test_what_the_image_is_built_of_is_enough(tmp_path: Path) -> None:
    """Statics are collected and the site's checks pass with nothing else there."""
    for path in taken():
        goal = tmp_path / "app" / path.relative_to(ROOT)
        goal.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, goal, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, goal)
    environment = {
        **example(), "SECRET_KEY": KEY, "GAUNTLET_DATA": str(tmp_path / "data"),
        "GAUNTLET_STATIC_ROOT": str(tmp_path / "collected"),
    }  # fmt: skip
    for command in (["collectstatic", "--no-input", "--verbosity", "0"], ["check", "--deploy"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            env=environment, cwd=tmp_path / "app", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "collected" / "staticfiles.json").is_file()


def test_the_containers_are_those_that_are_needed() -> None:
    services = compose()["services"]
    for name in ("web", "deadlines", "worker"):
        assert {f"{name}-1", f"{name}-2"} <= set(services)
    needed = {"proxy", "postgres", "pgbouncer", "valkey", "bots-1", "beat", "migrate", "backup"}
    assert needed <= set(services)
    for name, service in services.items():
        image = service.get("image", "")
        assert ":latest" not in image
        assert ":" in image or "build" in service, name
        # What one of ours is, it is wholly: who is on the way out is waited for, nothing is root's.
        if image.startswith("gauntlet:"):
            assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
            assert service["env_file"] == "gauntlet.env"
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            made = source in compose()["volumes"] or source == "./tls"
            assert made or (DEPLOY / source).exists(), volume
        for needed in service.get("depends_on", {}):
            assert needed in services
    # Past PgBouncer, where a session is needed.
    for name in ("migrate", "backup"):
        assert "@postgres:5432/" in services[name]["environment"]["DATABASE_URL"]
        owner = services[name]["environment"]["DATABASE_OWNER_URL"]
        assert owner.startswith("postgresql://gauntlet:${POSTGRES_PASSWORD:?}@postgres:5432/")
    assert "//gauntlet_site:CHANGE-ME@pgbouncer:6432/" in example()["DATABASE_URL"]


def test_no_process_that_serves_has_the_owner_s_password() -> None:
    """Whoever breaks into one finds it nowhere: by Compose its environment does not hold it, and by
    systemd it stands in a file that root alone reads."""
    for name, service in compose()["services"].items():
        if not service.get("image", "").startswith("gauntlet:"):
            continue
        given = service["environment"]
        # The file of settings has it, for PostgreSQL.
        assert given["POSTGRES_PASSWORD"] == "", name
        assert ("DATABASE_OWNER_URL" in given) == (name in ("migrate", "backup")), name
    units = {path.name: path.read_text() for path in UNITS}
    having = {name for name, text in units.items() if "owner.env" in text}
    assert having == {"gauntlet-backup.service"}
    assert "install -m 600 /dev/null /etc/gauntlet/owner.env" in (DEPLOY / "README.md").read_text()
    assert "DATABASE_OWNER_URL" not in example()


def test_whoever_is_told_to_use_compose_is_told_where_its_values_are() -> None:
    """What the file itself refers to it takes from there, and from nowhere else."""
    told = [
        line
        for path in (DEPLOY / "README.md", ROOT / "docs" / "operating.md", DEPLOY / "compose.yaml")
        for line in re.findall(r"docker compose [^…`][^`\n]*", path.read_text())
        if "config`" not in line and line != "docker compose config"
    ]
    assert len(told) >= 15
    for line in told:
        assert line.startswith(COMPOSE), line


def test_what_compose_is_told_to_do_it_can() -> None:
    """Each service that is named is there; and whoever restores has first stopped all that hold on
    to the database, and deploys every process of ours, web processes each by itself."""
    services = compose()["services"]
    text = "".join(
        path.read_text() for path in (DEPLOY / "README.md", ROOT / "docs" / "operating.md")
    )
    done: dict[str, list[list[str]]] = {}
    for line in re.findall(rf"^{re.escape(COMPOSE)} (.*)$", text, re.MULTILINE):
        words = line.split("#")[0].split()
        if words[0] == "--profile":
            assert any(words[1] in each.get("profiles", ()) for each in services.values())
            words = words[2:]
        verb, *rest = words
        named = [word for word in rest if not word.startswith("-")]
        named = named[:1] if verb in ("run", "exec") else named
        assert verb in {"build", "exec", "ps", "run", "stop", "up"}
        assert {*named} <= {*services}, line
        done.setdefault(verb, []).append(named)
    processes = {name for name, part in parts().items() if part.is_ours and not part.runs_once}
    assert {*done["stop"][0]} == {*processes, "proxy", "pgbouncer"}
    deployed = [named for named in done["up"] if named]
    assert {name for named in deployed for name in named} == processes
    assert ["web-1"] in deployed
    assert ["web-2"] in deployed
    assert {"restore", "migrate"} <= {
        *re.findall(r"run --rm (?:backup python manage.py )?(\w+)", text)
    }


@pytest.mark.skipif(not has_compose(), reason="NO DOCKER COMPOSE: install it to try this")
def test_compose_takes_the_file(tmp_path: Path) -> None:
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    shutil.copy(tmp_path / "deploy/gauntlet.env.example", tmp_path / "deploy/gauntlet.env")
    done = subprocess.run(
        [*COMPOSE.split(), "config", "--quiet"],
        cwd=tmp_path, env={"PATH": "/usr/bin:/usr/local/bin"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


#: The proxy's port on this machine instead of 80 and 443, which may be taken.
ELSEWHERE = """
services:
  proxy:
    ports: !override ["127.0.0.1:{port}:443"]
"""


@pytest.mark.skipif(not has_docker(), reason="NO DOCKER: start it to try this")
@pytest.mark.skipif(not depth.whole, reason="builds and fetches images: --whole does")
@pytest.mark.timeout(1800)  # seconds: images come from elsewhere
def test_compose_runs_the_site(tmp_path: Path) -> None:
    """From a checkout, as README has it: until all is well, seen through the proxy."""
    folder = tmp_path / "checkout"
    for path in [*taken(), ROOT / ".dockerignore", DEPLOY]:
        goal = folder / path.relative_to(ROOT)
        goal.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, goal, dirs_exist_ok=True)
        else:
            shutil.copy(path, goal)
    port = free_port()
    # Of everything a name of its own: the site itself may run here, too.
    name = f"gauntlet-tried-{port}"
    values = example() | {
        "SECRET_KEY": KEY, "POSTGRES_PASSWORD": "the-owner-s", "GAUNTLET_RELEASE": name,
        "POSTGRES_SITE_PASSWORD": "for-a-while",
    }  # fmt: skip
    values["DATABASE_URL"] = values["DATABASE_URL"].replace("CHANGE-ME", "for-a-while")
    lines = [f"{name}={value}" for name, value in values.items()]
    (folder / "deploy" / "gauntlet.env").write_text("\n".join(lines))
    (folder / "deploy" / "tls").mkdir()
    trusted = certificate(folder / "deploy" / "tls")
    (folder / "elsewhere.yaml").write_text(ELSEWHERE.format(port=port))
    command = [*COMPOSE.split(), "--file", "elsewhere.yaml", "--project-name", name]

    def do(*words: str) -> None:
        subprocess.run([*command, *words], cwd=folder, check=True)

    try:
        do("up", "--detach", "--build")
        with httpx.Client(
            base_url=f"https://127.0.0.1:{port}", headers={"Host": NAME}, verify=trusted, timeout=30
        ) as client:

            def status(path: str) -> int:
                try:
                    return client.get(path, extensions={"sni_hostname": NAME}).status_code
                except httpx.TransportError:
                    return 0  # the proxy is about to begin

            wait_for(lambda: status("/healthz") == 200, timeout=300, what="it to be well")
            assert status("/") == 200
    finally:
        do("down", "--volumes", "--rmi", "local")
        subprocess.run(["docker", "image", "rm", f"gauntlet:{name}"], check=False)


def test_pgbouncer_hands_out_connections_by_transaction() -> None:
    parsed = configparser.ConfigParser(interpolation=None, comment_prefixes=(";", "#"))
    parsed.read_string((DEPLOY / "pgbouncer.ini").read_text())
    assert parsed["pgbouncer"]["pool_mode"] == "transaction"
    assert "gauntlet" in parsed["databases"]
    for script in DEPLOY.glob("*.sh"):
        done = subprocess.run(["sh", "-n", script], check=False)
        assert done.returncode == 0, script


# -- the proxy -----------------------------------------------------------------------------------


def directives(text: str) -> Iterator[tuple[int, list[str]]]:
    """Depth and words of every directive of nginx; fails on braces that do not match."""
    tokens = re.findall(r'#[^\n]*|"[^"]*"|[{};]|[^\s{};"#]+', text)
    depth, words = 0, list[str]()
    for token in tokens:
        if token.startswith("#"):
            continue
        if token in "{;":
            yield depth, words
            words = []
        elif token != "}":
            words.append(token.strip('"'))
        depth += {"{": 1, "}": -1}.get(token, 0)
        assert depth >= 0
    assert (depth, words) == (0, [])


def test_the_proxy_passes_on_what_the_site_needs() -> None:
    found = [words for _, words in directives((DEPLOY / "nginx.conf").read_text())]
    for needed in (
        ["proxy_http_version", "1.1"],
        ["proxy_set_header", "Host", "$http_host"],
        ["proxy_set_header", "Upgrade", "$http_upgrade"],
        ["proxy_set_header", "Connection", "$connection_upgrade"],
        ["proxy_set_header", "X-Forwarded-For", "$remote_addr"],
        ["proxy_set_header", "X-Forwarded-Proto", "$scheme"],
        ["proxy_set_header", "X-Request-ID", "$request_id"],
        ["hash", "$gauntlet_key", "consistent"],
        ["proxy_next_upstream_tries", "2"],
    ):
        assert needed in found, needed
    (retried,) = [words[1:] for words in found if words[0] == "proxy_next_upstream"]
    assert "non_idempotent" not in retried
    assert ["include", "gauntlet-webs.conf"] in found


def webs(path: Path) -> dict[str, list[str]]:
    """The web processes that a file names to the proxy, and what it says of each."""
    found = [words for _, words in directives(path.read_text())]
    return {words[1]: words[2:] for words in found if words[0] == "server"}


def test_the_proxy_knows_the_web_processes_of_both_set_ups() -> None:
    ways = {"max_fails=2", "fail_timeout=2s"}
    by_units = webs(WEBS)
    run = [name.split("@")[1] for name in enabled() if name.startswith("web@")]
    assert by_units.keys() == {f"127.0.0.1:{port}" for port in run}
    assert all(set(words) == ways for words in by_units.values())
    by_containers = webs(WEBS_OF_COMPOSE)
    named = {f"{name}:8000" for name in compose()["services"] if name.startswith("web-")}
    assert by_containers.keys() == named
    assert all(set(words) == {*ways, "resolve"} for words in by_containers.values())


def test_the_proxy_of_the_containers_can_ask_again_where_they_are() -> None:
    image = compose()["services"]["proxy"]["image"]
    (version,) = re.findall(r"^nginx:([\d.]+)-", image)
    assert tuple(map(int, version.split("."))) >= RESOLVES_SINCE
    found = [words for _, words in directives(WEBS_OF_COMPOSE.read_text())]
    (asked,) = [words[1:] for words in found if words[0] == "resolver"]
    assert asked[0] == "127.0.0.11"  # Docker's, in every network but the default one
    assert "valid=2s" in asked  # what Docker says itself is ten minutes
    assert ["zone", "gauntlet_webs", "64k"] in [
        words for _, words in directives((DEPLOY / "nginx.conf").read_text())
    ]
