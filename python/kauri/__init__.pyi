# Types of kauri.
# SPDX-License-Identifier: BSD-3-Clause
from ._backward_error import BackwardError as BackwardError
from ._backward_error import backward_error as backward_error
from ._cholesky import analyze as analyze
from ._cholesky import analyze_AAt as analyze_AAt
from ._cholesky import aslinearoperator as aslinearoperator
from ._cholesky import cholesky as cholesky
from ._cholesky import cholesky_AAt as cholesky_AAt
from ._cholesky import cholesky_mixed as cholesky_mixed
from ._cholesky import factorized as factorized
from ._cholesky import load as load
from ._cholesky import read as read
from ._compare import compare as compare
from ._comparison import Comparison as Comparison
from ._comparison import Record as Record
from ._core import CancelToken as CancelToken
from ._core import cuda_available as cuda_available
from ._errors import Cancelled as Cancelled
from ._errors import DeviceError as DeviceError
from ._errors import DtypeError as DtypeError
from ._errors import InputError as InputError
from ._errors import KauriError as KauriError
from ._errors import NotPositiveDefiniteError as NotPositiveDefiniteError
from ._errors import OutOfMemoryError as OutOfMemoryError
from ._errors import TooLargeError as TooLargeError
from ._errors import UsageError as UsageError
from ._factor import Factor as Factor
from ._mixed import MixedFactor as MixedFactor
from ._options import option_names as option_names
from .cholmod05 import CholeskyFactor as CholeskyFactor
from .cholmod05 import cho_factor as cho_factor
from .cholmod05 import cho_solve as cho_solve
from .cholmod05 import ldl_factor as ldl_factor

__version__: str
