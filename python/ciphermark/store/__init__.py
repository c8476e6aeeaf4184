"""Files: the point cache and a study's results. Each is written whole or not at all."""
