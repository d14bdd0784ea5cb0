"""Data sets from whatever names them, and whether they are sound."""

from mabench.loading.catalogues import catalogue_of as catalogue_of
from mabench.loading.opening import Declared as Declared
from mabench.loading.opening import load as load
from mabench.loading.schemes import DataScheme as DataScheme
from mabench.loading.schemes import RowGenerator as RowGenerator
from mabench.loading.schemes import row_generator as row_generator
from mabench.loading.validating import validate as validate
