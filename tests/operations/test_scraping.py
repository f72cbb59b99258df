"""Where each process of a deployment tells its metrics, as Prometheus is told of it."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from tests.support.deploy import DEPLOY, example, parts

PROMETHEUS = DEPLOY / "prometheus"
SYSTEMD = DEPLOY / "systemd"
# Of each kind, and what they are called in `job_name`.
KINDS = ("web", "deadlines", "worker", "beat")
CONFIGURATIONS = ("host.yml", "compose.yml")


def targets(name: str) -> dict[str, list[str]]:
    """By job, what Prometheus reads by one of our configurations."""
    read: dict[str, Any] = yaml.safe_load((PROMETHEUS / name).read_text())
    assert read["rule_files"] == ["alerts.yml"]
    return {
        job["job_name"].removeprefix("gauntlet-"): [
            target for static in job["static_configs"] for target in static["targets"]
        ]
        for job in read["scrape_configs"]
    }


def listens(name: str, instance: str) -> str:
    """Where a unit tells its metrics: a web process where it serves pages."""
    parsed = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    (path,) = (
        each for each in SYSTEMD.iterdir() if re.fullmatch(f"gauntlet-{name}@?.service", each.name)
    )
    parsed.read_string(path.read_text())
    service = parsed["Service"]
    if name == "web":
        command = service["ExecStart"].split()
        host, port = (command[command.index(f"--{what}") + 1] for what in ("bind", "port"))
        return f"{host}:{port}".replace("%i", instance)
    given = dict(word.split("=", 1) for word in service["Environment"].split())
    return given["GAUNTLET_METRICS_LISTEN"].replace("%i", instance)


def enabled() -> dict[str, list[str]]:
    """By kind, the instances of units that the page has enabled; beat has none."""
    text = (DEPLOY / "README.md").read_text().replace("\\\n", " ")
    (command,) = re.findall(r"^systemctl enable --now (.*gauntlet-beat.*)$", text, re.MULTILINE)
    found = re.findall(r"gauntlet-(web|deadlines|worker|beat)(?:@(\w+))?", command)
    by_kind: dict[str, list[str]] = {}
    for kind, instance in found:
        by_kind.setdefault(kind, []).append(instance)
    return by_kind


def test_prometheus_finds_each_unit_where_it_listens() -> None:
    """Each that the page has enabled, and at an address that no other has."""
    units = enabled()
    assert set(units) == set(KINDS)
    wanted = {
        kind: sorted(listens(kind, instance) for instance in instances)
        for kind, instances in units.items()
    }
    assert {kind: sorted(found) for kind, found in targets("host.yml").items()} == wanted
    several = [listens(kind, number) for kind in KINDS for number in ("1", "2", "9")]
    assert len(set(several)) == len(several) - 2  # beat has no number
    assert all(re.fullmatch(r"127\.0\.0\.1:\d{1,4}", each) for each in several)


def test_prometheus_finds_each_container_where_it_listens() -> None:
    wanted: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for part in parts().values():
        if part.kind == "web":
            port = part.command[part.command.index("--port") + 1]
            wanted["web"].append(f"{part.name}:{port}")
        elif part.kind in KINDS:
            host, port = part.environment["GAUNTLET_METRICS_LISTEN"].split(":")
            assert host == "0.0.0.0"  # noqa: S104  (the container's own)
            wanted[part.kind].append(f"{part.name}:{port}")
    assert targets("compose.yml") == wanted
    assert all(wanted.values())


def test_its_containers_show_the_token_that_the_site_wants() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    (name,) = services["services"]["prometheus"]["secrets"]
    assert services["secrets"] == {name: {"environment": "GAUNTLET_METRICS_TOKEN"}}
    assert example()["GAUNTLET_METRICS_TOKEN"] == ""
    read = yaml.safe_load((PROMETHEUS / "compose.yml").read_text())
    shown = [job["authorization"] for job in read["scrape_configs"]]
    assert shown == [{"credentials_file": f"/run/secrets/{name}"}] * len(KINDS)
    # And nobody is let in from outside.
    assert services["services"]["prometheus"]["ports"] == ["127.0.0.1:9090:9090"]


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="NO PROMTOOL: install Prometheus to try this"
)
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_prometheus_itself_takes_the_configuration(name: str) -> None:
    done = subprocess.run(
        ["promtool", "check", "config", "--syntax-only", PROMETHEUS / name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_alerts_and_dashboard_know_the_jobs(name: str) -> None:
    """They ask for those whose names begin so."""
    read = yaml.safe_load((PROMETHEUS / name).read_text())
    assert {job["job_name"] for job in read["scrape_configs"]} == {f"gauntlet-{k}" for k in KINDS}
    assert 'up{job=~"gauntlet.*"}' in (PROMETHEUS / "alerts.yml").read_text()
