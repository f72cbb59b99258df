"""Accounts, draws, results and the audit log: that nobody gets past what protects them."""
