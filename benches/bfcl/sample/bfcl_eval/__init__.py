"""Small data of our own in the form of the published data, for tests without a network."""
