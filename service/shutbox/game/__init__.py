"""The game: pure functions of their arguments, standard library only; no clock, no I/O, no randomness."""
