"""Names of the JSON bundles that stand beside a notebook's outputs and tell the renderer what they are."""

FIGURE = "application/vnd.srlib.figure+json"  # name, alt, caption, files
TABLE = "application/vnd.srlib.table+json"  # name, caption, files, folded
REPORT = "application/vnd.srlib.report+json"  # schema, title, verdict, rows, ranking, rules
PEOPLE = "application/vnd.srlib.people+json"  # pages, files, tables, said
