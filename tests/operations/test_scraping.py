"""Every process of the site can be read by Prometheus, in each of the ways that it is run: what the
units and the Compose file say, and what is told to Prometheus, are one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.deploy import (
    DEPLOY,
    compose,
    enabled,
    example,
    parts,
    unit,
    unit_environment,
)

PROMETHEUS = DEPLOY / "prometheus"
SETTING = "GAUNTLET_METRICS_LISTEN"
SYSTEMD = DEPLOY / "systemd"


def told(name: str) -> dict[str, set[str]]:
    """What a configuration of Prometheus asks, by the name of the job."""
    whole: dict[str, Any] = yaml.safe_load((PROMETHEUS / name).read_text())
    return {
        job["job_name"]: {target for some in job["static_configs"] for target in some["targets"]}
        for job in whole["scrape_configs"]
    }


def address(name: str) -> str:
    """Where a process of systemd's is read: a web process where it listens, any other where its
    unit says."""
    kind, at, instance = name.partition("@")
    path = SYSTEMD / f"gauntlet-{kind}{at}.service"
    if kind == "web":
        command = unit(path)["Service"]["ExecStart"].replace("%i", instance).split()
        bound = command[command.index("--bind") + 1]
        return f"{bound}:{command[command.index('--port') + 1]}"
    return unit_environment(path, instance)[SETTING]


def by_job(addresses: dict[str, str]) -> dict[str, set[str]]:
    """Addresses by the jobs that their processes' names call for."""
    found: dict[str, set[str]] = {}
    for name, where in addresses.items():
        kind = re.split(r"[@-]", name)[0]
        found.setdefault(f"gauntlet-{kind}", set()).add(where)
    return found


# -- by systemd ----------------------------------------------------------------------------------


def test_every_unit_that_runs_on_is_enabled_and_is_read() -> None:
    kinds = {
        path.name.removeprefix("gauntlet-").removesuffix(".service").removesuffix("@")
        for path in SYSTEMD.glob("*.service")
        if unit(path)["Service"]["Type"] != "oneshot"
    }
    assert {name.partition("@")[0] for name in enabled()} == kinds
    assert told("systemd.yml") == by_job({name: address(name) for name in enabled()})


def test_no_two_units_of_a_machine_are_read_at_one_address() -> None:
    """However many of each kind there are: of each, nine; and all of this machine alone."""
    named = ["beat"]
    named += [
        f"{kind}@{number}" for kind in ("deadlines", "worker", "bots") for number in range(1, 10)
    ]
    named += [f"web@{port}" for port in range(8001, 8010)]
    found = [address(name) for name in named]
    assert len(set(found)) == len(named)
    for where in found:
        host, port = where.split(":")
        assert host == "127.0.0.1"
        assert 1024 < int(port) < 65536


# -- in containers -------------------------------------------------------------------------------


def test_every_service_of_ours_is_read() -> None:
    found = {}
    for name, part in parts().items():
        if not part.is_ours or part.runs_once:
            continue
        where = part.environment.get(SETTING, "")
        if part.kind == "web":
            where = ":".join(part.command[part.command.index(word) + 1]
                             for word in ("--bind", "--port"))  # fmt: skip
        assert where.startswith("0.0.0.0:"), name
        found[name] = f"{name}:{where.rpartition(':')[2]}"
    assert told("compose.yml") == by_job(found)


def test_nobody_outside_reaches_them() -> None:
    for name, service in compose()["services"].items():
        published = service.get("ports", [])
        if name == "prometheus":
            assert all(port.startswith("127.0.0.1:") for port in published)
        elif name != "proxy":
            assert published == [], name


def test_prometheus_has_what_its_configuration_names() -> None:
    service = compose()["services"]["prometheus"]
    assert "./prometheus:/etc/prometheus:ro" in service["volumes"]
    assert "--config.file=/etc/prometheus/compose.yml" in service["command"]
    whole = yaml.safe_load((PROMETHEUS / "compose.yml").read_text())
    for job in whole["scrape_configs"]:
        assert job["authorization"] == {"credentials_file": "/etc/prometheus/gauntlet.token"}
    assert "deploy/prometheus/gauntlet.token" in (DEPLOY / "README.md").read_text()


@pytest.mark.parametrize("name", ["systemd.yml", "compose.yml"])
def test_alerts_are_found_and_concern_what_is_read(name: str) -> None:
    whole = yaml.safe_load((PROMETHEUS / name).read_text())
    assert [(PROMETHEUS / rules).is_file() for rules in whole["rule_files"]] == [True]
    assert all(job.startswith("gauntlet") for job in told(name))


def test_no_file_says_it_for_all_processes() -> None:
    """It would come before what each unit says, and all would want one port."""
    assert SETTING not in example()
    assert all(SETTING not in Path(path).read_text() for path in DEPLOY.glob("*.conf"))
