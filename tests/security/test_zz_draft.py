from tests.security import test_every_door as t
from tests.security.doors import write_line, methods_of
def test_draft():
    lines=[]
    for r, c in t._heard.items():
        lines.append(write_line(r, c))
    import json; json.dump(t._heard, open("/tmp/hammer-heard.json","w"))
    open("/tmp/hammer-doors.txt","w").write("\n".join(lines)+"\n")
