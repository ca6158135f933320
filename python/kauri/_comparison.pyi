# Types of what compare returns.
# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ._factor import Factor

class Record:
    system: str
    ordering: str
    method: str
    n: int
    nnz_lower: int
    effort: str | None
    status: str
    note: str
    nnzL: int | None
    flops: float | None
    fill_ratio: float | None
    stored_entries: int | None
    executed_flops: float | None
    tree_height: int | None
    supernodes: int | None
    largest_front: int | None
    largest_supernode: int | None
    factor_bytes: int | None
    peak_bytes: int | None
    order_s: float | None
    symbolic_s: float | None
    predicted_factor_s: float | None
    predicted_solve_s: float | None
    factor_s: float | None
    solve1_s: float | None
    backward_error: float | None
    backward_error_componentwise: float | None
    column: int | None
    chosen: bool
    factor: Factor | None
    @property
    def label(self) -> str: ...
    def as_dict(self) -> dict[str, Any]: ...

class System:
    name: str
    n: int
    nnz_lower: int
    where: str
    measured: bool
    reason: str
    records: tuple[Record, ...]
    failure: str | None

class Comparison:
    systems: dict[str, System]
    def __init__(self, systems: Iterable[System]) -> None: ...
    @property
    def records(self) -> tuple[Record, ...]: ...
    @property
    def failures(self) -> dict[str, str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Record]: ...
    def __getitem__(self, key: str | tuple[str, str]) -> Record: ...
    def best(self, by: str = 'flops', system: str | None = None) -> Record: ...
    def to_dicts(self) -> list[dict[str, Any]]: ...
    def to_pandas(self) -> Any: ...
    def plot_spy(self, system: str | None = None, *, orderings: str | Sequence[str] | None = None, cells: int = 192, figsize: tuple[float, float] | None = None) -> Any: ...
    def plot_tree(self, system: str | None = None, *, orderings: str | Sequence[str] | None = None, kind: str = 'auto', figsize: tuple[float, float] | None = None) -> Any: ...
    def plot_fronts(self, system: str | None = None, *, orderings: str | Sequence[str] | None = None, figsize: tuple[float, float] | None = None) -> Any: ...
    def plot_bars(self, system: str | None = None, *, orderings: str | Sequence[str] | None = None, figsize: tuple[float, float] | None = None) -> Any: ...
    def plot(self, system: str | None = None, *, orderings: str | Sequence[str] | None = None, cells: int = 192, kind: str = 'auto', figsize: tuple[float, float] | None = None) -> Any: ...
