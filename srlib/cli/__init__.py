"""The command line: `main` finds the command and settles exit codes; one command a file, named after it."""
