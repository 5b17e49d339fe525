#!/bin/sh
# Check what a branch submits, as data: sh check.sh BASE [BRANCH]. Exit code 1: a finding, or more than tables of one folder.
set -eu
base=$1 branch=${2:-HEAD}
tables='^(practice|final)/submissions/[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*\.(csv|parquet)$'
changes=$(git diff --raw --no-renames "$base...$branch")
paths=$(echo "$changes" | cut -f2)
folder=$(echo "$paths" | cut -d/ -f1-3 | sort -u)
if echo "$paths" | grep -qvE "$tables" || [ "$(echo "$folder" | wc -l)" -ne 1 ] || echo "$changes" | grep -qvE '^:[0-9]{6} (100644|000000) '; then
  echo "A submission changes tables (plain CSV or Parquet files) of one folder, practice/submissions/NAME or final/submissions/NAME. This one changes:"
  echo "$paths"
  exit 1
fi
if ! git cat-file -e "$branch:$folder" 2>/dev/null; then
  echo "$folder: all tables are withdrawn."
  exit 0
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git archive "$branch" "$folder" | tar -x -C "$copy"
round=${folder%%/*}
cp "$round/submissions/layout.yaml" "$copy/$round/submissions/"
problems=$round/problems.yaml
[ -f "$problems" ] || problems=$round/public.yaml
echo "$folder"
srlib check "$copy/$round/submissions" --problems "$problems" --rules rules.yaml 2>&1
