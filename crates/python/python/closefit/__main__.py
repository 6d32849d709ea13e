"""The program ``closefit``, as ``python -m closefit``."""

import sys

from closefit._program import main

sys.exit(main())
