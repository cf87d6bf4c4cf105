"""`shutbox-client verify`: receipts, rounds, days and the whole log, checked without trusting the service."""
