import json, os
import pytest
from tests.security.every_door.test_every_door import Knocking, read_table, Savepoint, Who, user_suspend
from tests.security.every_door.test_every_door import quick, doors
from tests.security.every_door.doors import WHO
NEW = {"guest", "commentator", "staff", "clerk"}
pytestmark=[pytest.mark.django_db]
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", os.environ.get("COLS", ",".join(WHO)).split(","))
def test_record(name, world, doors):
    table = read_table()
    only = set(os.environ.get("ROUTES", "").split(",")) - {""}
    heard = {}
    with Savepoint():
        if WHO[name] is Who.SUSPENDED:
            user_suspend(acting_user=world.root, user=world.users["paul"], reason="Rude", until=None)
        k = Knocking(world, name)
        for door in doors:
            if only and door.route not in only: continue
            try:
                heard[door.route] = k.all_of(door)
            except Exception as e:
                heard[door.route] = {"GET": repr(e)[:200]}
    with open(f"/tmp/heard2/{name}.json", "w") as f: json.dump(heard, f)
