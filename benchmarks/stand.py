"""Where benchmarks of the running site stand: its processes, and a database that is durable."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from script.lib.scratch import Scratch
from script.lib.services import Services
from script.lib.statics import Statics
from tests.support.site import Site


@contextmanager
def running_site() -> Iterator[tuple[Site, Path]]:
    """The site on its own PostgreSQL (durable commits) and Valkey, and a folder for its files; all
    of it is taken down in the end."""
    with Scratch() as folder:
        services = Services(folder, Path(sys.executable), durable=True)
        services.prepare()
        services.start()
        try:
            statics = Statics()
            os.environ.update(services.addresses() | statics.environment())
            settings = {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
            statics.collect(Path(sys.executable), os.environ | settings)
            (folder / "site").mkdir()
            site = Site(folder / "site")
            try:
                site.start()
                yield site, folder
            finally:
                site.stop()
        finally:
            services.stop()
