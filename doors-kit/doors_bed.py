import sys, os, json, time, signal
sys.path.insert(0,'/work/h/sc')
os.chdir('/work/h/sc')
os.environ['GAUNTLET_VENV']='/work/h/venv'
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
from pathlib import Path
from script.lib.scratch import Scratch
from script.lib.testbed import Testbed
from script.lib.venv import DEVELOPMENT, Environment
from script.lib.supervisor import raise_on_stop_signals, Stopped
raise_on_stop_signals()
python = Environment().ensure(DEVELOPMENT)
with Scratch() as folder:
    bed = Testbed(folder, python)
    try:
        bed.start()
        Path('/tmp/doors_env.json').write_text(json.dumps(bed.environment()))
        print("up", flush=True)
        time.sleep(3600*2)
    except Stopped:
        pass
    finally:
        bed.stop()
