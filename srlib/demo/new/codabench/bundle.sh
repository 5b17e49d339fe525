#!/bin/sh
# Write codabench/bundle.zip from the practice round: sh codabench/bundle.sh, in the competition's folder.
set -eu
make=$(mktemp -d)
trap 'rm -rf "$make"' EXIT
mkdir "$make/reference_data" "$make/bundle"
cp rules.yaml practice/problems.yaml "$make/reference_data"
srlib problems public practice/problems.yaml --out "$make/reference_data/public.yaml"
# the field: the tables of the practice round as they are now, each under the name of its folder
python3 - "$make/reference_data/field.csv" <<'PYTHON'
import sys

import srlib

columns = ["method", "dataset", "repetition", "model", "names", "status", "r2_test"]
runs = srlib.read_runs("practice/submissions").frame
runs[[name for name in columns if name in runs]].to_csv(sys.argv[1], index=False)
PYTHON
for part in reference_data scoring_program; do
  [ "$part" = reference_data ] && from=$make/$part || from=codabench/$part
  (cd "$from" && python3 -m zipfile -c "$make/bundle/$part.zip" ./*)
done
cp codabench/competition.yaml codabench/*.md codabench/logo.png "$make/bundle"
(cd "$make/bundle" && python3 -m zipfile -c bundle.zip ./*)
mv "$make/bundle/bundle.zip" codabench/bundle.zip
echo "written: codabench/bundle.zip"
