"""The log: RFC 6962 and C2SP bytes as pure functions; no clock, no I/O, no randomness; Ed25519 by `cryptography`."""
