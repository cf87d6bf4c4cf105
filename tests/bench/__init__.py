"""`make bench`: figures beside their goals. Nothing here can fail a build."""
