"""Proofs of behaviour, laid out like the code they test."""

import os
import sys

# Each process of a run reads the modules that the first one compiled, also where none are kept.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
