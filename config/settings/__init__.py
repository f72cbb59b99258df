"""Settings: `base` is shared; `dev`, `test` and `production` are what processes are started with."""
