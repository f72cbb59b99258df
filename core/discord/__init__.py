"""Discord, as far as everybody who speaks to it needs it: its calls, how often it may be asked, and
text that it shows as it is."""
