#!/bin/sh
''':'
# Starts srlib with the Python that lies beside this file. Until Python is ready it answers Ctrl-C with a traceback; where
# env can, an interrupt waits until srlib/cli/start.py answers it. `make install` puts this in the place of pip's program.
trap 'echo "srlib: interrupted" >&2; exit 130' INT
here=$(dirname -- "$(readlink -f -- "$0")")
if env --block-signal=INT true 2>/dev/null; then
  exec env --block-signal=INT "$here/python" "$here/srlib" "$@"
fi
exec "$here/python" "$here/srlib" "$@"
'''

import sys

from srlib.cli.start import main

sys.exit(main())
