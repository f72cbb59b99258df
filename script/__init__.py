"""Commands of the checkout. Their shared code is in `script.lib` and needs no installed package."""
