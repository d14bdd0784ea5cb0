import sys

# What is compiled for the collection is kept for all processes of the tests, which else compile
# mabench again each time where PYTHONDONTWRITEBYTECODE is set; tests/conftest.py ends that.
KEEPS_NO_BYTECODE = sys.dont_write_bytecode
if "pytest" in sys.modules:
    sys.dont_write_bytecode = False
