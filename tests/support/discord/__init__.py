"""Discord, played on this machine, as strict as the real one."""
