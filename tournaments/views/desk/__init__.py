"""The organisers' pages: what waits for them, and every action that services offer them."""
