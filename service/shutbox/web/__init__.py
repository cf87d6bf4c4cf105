"""The only folder that knows HTTP: parsing, answers, problems, credentials."""
