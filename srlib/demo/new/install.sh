#!/bin/sh
# Install the srlib that requirements.txt states: an address and a commit, so that every judgement is by the same code.
set -eu
line='^srlib(\[[a-z,]+\])? @ git\+[a-z]+://[^ ]+@[0-9a-f]{40}$'
if grep -vE '^ *(#|$)' requirements.txt | grep -qvE "$line" || ! grep -qE "$line" requirements.txt; then
  echo "requirements.txt: one line was expected, srlib @ git+URL@COMMIT with a commit of 40 hexadecimal digits; state where srlib comes from."
  exit 1
fi
python3 -m pip install -r requirements.txt
