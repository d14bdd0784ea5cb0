"""Opens data sets by whatever names them, and finds what is wrong with them."""

from typing import TYPE_CHECKING

from mabench.facades import load_when_used

if TYPE_CHECKING:
    from mabench.loading.catalogues import catalogue_of as catalogue_of
    from mabench.loading.opening import Declared as Declared
    from mabench.loading.opening import load as load
    from mabench.loading.schemes import DataScheme as DataScheme
    from mabench.loading.schemes import RowGenerator as RowGenerator
    from mabench.loading.schemes import row_generator as row_generator
    from mabench.loading.validating import validate as validate
else:
    __getattr__, __dir__, __all__ = load_when_used(__name__, __file__)
