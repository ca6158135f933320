# Records: the figures of one ordering of one system, and the systems of a comparison.
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import dataclasses
from typing import Any

from .._factor import Factor


@dataclasses.dataclass(frozen=True)
class Record:
    """Figures of one ordering of one system.

    Names and figures are those of ``kauri compare --json`` (docs/json.md). Seconds are wall time.
    Figures that were not computed are None.

    Attributes
    ----------
    system, ordering : str
        Names that the caller gave, or that :func:`kauri.compare` chose.
    method : str
        The ordering that was run: for ``auto`` the one that it took; ``given`` for a permutation.
    effort : str or None
        Effort of the ordering, if method is ``nd``.
    status : str
        ``ok``; ``failed``: there are no figures; or, for the factorisation,
        ``not_positive_definite``, ``not_finite``, ``not_converged`` (the normwise backward error is
        above sqrt(eps)) or ``not_run``. ``note`` gives the reason.
    nnzL, flops, fill_ratio : int, float, float
        Entries of L; operations of the factorisation (a multiply-add is two); entries of L over
        those of A's lower triangle.
    stored_entries, executed_flops : int, float
        Entries of L and operations, including the zeros that amalgamation stores.
    tree_height, supernodes, largest_front, largest_supernode : int
        Columns on the longest path of the elimination tree; number of supernodes, each of which has
        a front; rows of the largest front; columns of the largest supernode.
    factor_bytes, peak_bytes : int
        Bytes of L; bytes of a whole factorisation.
    order_s, symbolic_s, factor_s, solve1_s : float
        Seconds of the ordering and of the rest of the analysis; with ``factorize=True`` the least
        seconds of the refactorisations, and of three solves with one right-hand side.
    predicted_factor_s, predicted_solve_s : float
        Seconds that the plan predicts for double.
    backward_error, backward_error_componentwise : float or None
        Errors of the solution, which is not refined.
    column : int or None
        Failing column of A, if A is not positive definite.
    chosen : bool
        True for the ordering that ``auto`` took, if it was also compared by its name.
    factor : Factor or None
        The analysis, without numbers.
    """

    system: str
    ordering: str
    method: str
    n: int
    nnz_lower: int
    effort: str | None = None
    status: str = "ok"
    note: str = ""
    nnzL: int | None = None
    flops: float | None = None
    fill_ratio: float | None = None
    stored_entries: int | None = None
    executed_flops: float | None = None
    tree_height: int | None = None
    supernodes: int | None = None
    largest_front: int | None = None
    largest_supernode: int | None = None
    factor_bytes: int | None = None
    peak_bytes: int | None = None
    order_s: float | None = None
    symbolic_s: float | None = None
    predicted_factor_s: float | None = None
    predicted_solve_s: float | None = None
    factor_s: float | None = None
    solve1_s: float | None = None
    backward_error: float | None = None
    backward_error_componentwise: float | None = None
    column: int | None = None
    chosen: bool = False
    factor: Factor | None = dataclasses.field(default=None, repr=False, compare=False)

    @property
    def label(self) -> str:
        """Name of the ordering in tables and pictures; for ``auto`` with the ordering that it took.
        """
        return self.ordering if self.ordering != "auto" or self.method == "auto" else f"auto ({self.method})"

    def as_dict(self) -> dict[str, Any]:
        """Returns all figures by name, without ``factor``."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "factor"}


@dataclasses.dataclass(frozen=True)
class System:
    """One matrix of a comparison.

    Attributes
    ----------
    name : str
    n, nnz_lower : int
        Number of rows; entries of the lower half, diagonal included.
    where : str
        Target, threads and type of the numbers, in the words of the program.
    measured : bool
        True if factorisations were requested.
    reason : str
        Reason for the choice of ``auto``, if it was compared.
    records : tuple of Record
    failure : str or None
        Reason why there are no records.
    """

    name: str
    n: int = 0
    nnz_lower: int = 0
    where: str = ""
    measured: bool = False
    reason: str = ""
    records: tuple[Record, ...] = ()
    failure: str | None = None


# Figures that are integers, and all figures, by name.
COUNTS = ("nnzL", "stored_entries", "tree_height", "supernodes", "largest_front", "largest_supernode", "factor_bytes", "peak_bytes", "column")
FIGURES = [field.name for field in dataclasses.fields(Record)
            if field.name not in ("system", "ordering", "method", "n", "nnz_lower", "effort", "status", "note", "column", "chosen", "factor")]
