"""What issue 19 asks for: accounts, draws, results and logs that can be trusted."""
