"""The commands of `shutbox-client` by subject."""
