"""Settings: `base` is shared; processes start with `dev`, `test` or `production`."""
