"""The command line: `main` runs a command and returns its exit code; modules group commands by their users."""
