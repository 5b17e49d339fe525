#!/bin/sh
# Judge the practice round: sh board.sh OUT writes OUT/DATE-COMMIT and OUT/latest, and what changed in front of OUT/changes.md.
set -eu
out=$1 name=$(git log -1 --abbrev=12 --format=%cs-%h)
if [ -s frozen.sha256 ]; then sha256sum --check --ignore-missing --quiet frozen.sha256; fi
mkdir -p "$out"
# exit code 1 is what a table that cannot be read gives; the board goes on, and says so
srlib report practice/suite.yaml --out "$out/$name" || [ $? -eq 1 ]
touch "$out/changes.md"
if ! grep -qx "## $name" "$out/changes.md"; then
  {
    printf '## %s\n\n' "$name"
    if [ -d "$out/latest" ]; then { srlib diff "$out/latest" "$out/$name" || [ $? -eq 1 ]; } | sed 's/^/    /'; else echo "    The first board."; fi
    echo
    cat "$out/changes.md"
  } > "$out/changes.new"
  mv "$out/changes.new" "$out/changes.md"
fi
rm -rf "$out/latest.new"
cp -R "$out/$name" "$out/latest.new"
rm -rf "$out/latest"
mv "$out/latest.new" "$out/latest"
