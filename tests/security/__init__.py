"""Issue by issue: what people trust the site with, tried by whoever would break it."""
