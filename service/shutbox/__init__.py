"""Shutbox: a verifiable, seeded leaderboard service for the dice game Shut the Box."""
