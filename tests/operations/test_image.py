"""The image, built and run where there is something to build it with: it starts, its checks pass,
and it says that it is well. Where there is nothing, `test_deploy.py` still reads it."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from script.lib.console import ROOT
from script.lib.ports import free_port
from tests.support.deploy import example, image_command, placed
from tests.support.fronts import NAME
from tests.support.site import Site, wait_for

# The first build fetches the base and the packages.
BUILDS_WITHIN_S = 1800
FETCHED_WITHIN_S = 300
WELL = ["python", "deploy/healthcheck.py"]


def engine() -> str:
    """What builds and runs containers here; empty: nothing does. A client that has no server is
    nothing."""
    for program in ("docker", "podman"):
        if shutil.which(program) is None:
            continue
        try:
            asked = subprocess.run([program, "info"], capture_output=True, timeout=30, check=False)
        except subprocess.TimeoutExpired:
            continue
        if asked.returncode == 0:
            return program
    return ""


ENGINE = engine()
pytestmark = [
    pytest.mark.site,
    pytest.mark.xdist_group("image"),
    # A test that comes first waits for the build as well.
    pytest.mark.timeout(BUILDS_WITHIN_S + 600),
    pytest.mark.skipif(
        not ENGINE,
        reason="NO DOCKER OR PODMAN THAT ANSWERS: install and start one to try the image",
    ),
]


def run(*words: str | Path, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ENGINE, *words], capture_output=True, text=True, timeout=timeout, check=False
    )


def bases() -> list[str]:
    """What the image is built on."""
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    return sorted(set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)))


def is_to_be_had(base: str) -> bool:
    """Whether an image is here, or can be fetched."""
    if run("image", "inspect", base).returncode == 0:
        return True
    try:
        return run("pull", base, timeout=FETCHED_WITHIN_S).returncode == 0
    except subprocess.TimeoutExpired:
        return False


@pytest.fixture(scope="module")
def image() -> Iterator[str]:
    """The image of this checkout, by a name that nobody else has. Skips, and says so, where what it
    is built on is neither here nor to be had."""
    for base in bases():
        if not is_to_be_had(base):
            pytest.skip(f"NO {base}, AND NO WAY TO FETCH IT: the image is not tried")
    name = f"gauntlet-tested:{secrets.token_hex(6)}"
    done = run("build", "--file", ROOT / "deploy" / "Dockerfile", "--tag", name, ROOT,
               timeout=BUILDS_WITHIN_S)  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    yield name
    run("rmi", "--force", name)


@pytest.fixture
def hardening(site: Site) -> list[str]:
    """As Compose runs it, with the site's own database and Redis, which are this machine's."""
    given = {
        **example(), "SECRET_KEY": "0123456789abcdefghij" * 3, "DATABASE_URL": site.database_url,
        "REDIS_URL": os.environ["REDIS_URL"], "GAUNTLET_DB_POOLER": "false",
        "GAUNTLET_REDIS_PREFIX": site.env["GAUNTLET_REDIS_PREFIX"],
    }  # fmt: skip
    words = ["--network", "host", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL",  # noqa: S108
             "--security-opt", "no-new-privileges"]  # fmt: skip
    return words + [word for name, value in given.items() for word in ("--env", f"{name}={value}")]


def in_it(image: str, hardening: Sequence[str], *command: str) -> str:
    """What a command prints in a container of its own, which must succeed."""
    done = run("run", "--rm", *hardening, image, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_checks_pass_and_it_is_nobody(image: str, hardening: list[str]) -> None:
    check = ["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    assert "no issues" in in_it(image, hardening, *check)
    assert in_it(image, hardening, "id", "-u").strip() == "10001"
    in_it(image, hardening, "test", "-f", "/app/collected/staticfiles.json")
    # And nothing is in it that is not named.
    assert run("run", "--rm", image, "test", "-e", "/app/tests").returncode == 1
    kept = run("image", "inspect", "--format", "{{.Config.Env}}", image).stdout
    assert "SECRET" not in kept


def test_it_runs_and_says_that_it_is_well(image: str, hardening: list[str]) -> None:
    port = str(free_port())
    command = placed(" ".join(image_command()), {"8000": port, "0.0.0.0": "127.0.0.1"})  # noqa: S104
    began = run("run", "--detach", *hardening, image, *command.split())
    assert began.returncode == 0, began.stderr
    container = began.stdout.strip()
    try:
        wait_for(
            lambda: run("exec", container, *WELL, port).returncode == 0,
            timeout=180, what=f"{NAME} in a container to be well",
        )  # fmt: skip
        # It would say if it were not.
        assert run("exec", container, *WELL, str(free_port())).returncode == 1
        ended = run("stop", "--time", "60", container)
        assert ended.returncode == 0
        state = run("inspect", "--format", "{{.State.ExitCode}}", container)
        assert state.stdout.strip() == "0", run("logs", container).stderr
    finally:
        run("rm", "--force", container)
