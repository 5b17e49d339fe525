"""The command line: `main` finds the command and settles exit codes; commands lie together by who calls them."""
