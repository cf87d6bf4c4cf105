"""The calls of the service by subject; `Client` has them all."""
