"""What a row is: its columns, and which rows a study's parts select."""
