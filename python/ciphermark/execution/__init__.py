"""From a study or a command to rows: tasks, controls, provenance and results."""
