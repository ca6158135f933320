#!/usr/bin/env python3
"""Makes the small binary files beside this script as SciPy and NumPy write them. Needs numpy and scipy;
run it by hand and commit the files.

All files store the matrix A of order 5 below in different ways; io_test.cpp holds its values.
"""
# SPDX-License-Identifier: BSD-3-Clause
import gzip
import io
import os
import tarfile
import zipfile

import numpy as np
import scipy.io
import scipy.sparse as sp

HERE = os.path.dirname(os.path.abspath(__file__))
A = np.array([[4, -1, 0, 0.5, 0], [-1, 5, -2, 0, 0], [0, -2, 6, 0, -0.25], [0.5, 0, 0, 7, 0], [0, 0, -0.25, 0, 8.0]])
X = np.array([[1, 2], [3, 4], [5, 6.5]])


def path(name):
    return os.path.join(HERE, name)


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), version=version)
    return out.getvalue()


def members(matrix, **change):
    arrays = dict(format=np.array(matrix.format.encode("ascii")), shape=np.array(matrix.shape), indices=matrix.indices, indptr=matrix.indptr, data=matrix.data)
    arrays.update(change)
    return arrays


class Unseekable(io.RawIOBase):
    """A stream that cannot seek, so that zipfile writes sizes behind the data (data
    descriptors)."""

    def __init__(self):
        self.bytes = io.BytesIO()

    def writable(self):
        return True

    def write(self, data):
        return self.bytes.write(data)


def pack(name, arrays, method=zipfile.ZIP_DEFLATED, descriptors=False, zip64=True, version=None):
    target = Unseekable() if descriptors else path(name)
    with zipfile.ZipFile(target, "w", method) as archive:
        for key, value in arrays.items():
            info = zipfile.ZipInfo(key + ".npy", date_time=(2020, 1, 1, 0, 0, 0))
            info.compress_type = method
            with archive.open(info, "w", force_zip64=zip64) as member:
                member.write(npy(value, version))
    if descriptors:
        with open(path(name), "wb") as file:
            file.write(target.bytes.getvalue())


def tar_gz(name, members, layout):
    """Writes an archive with the files {name: text}, with fixed dates and owners; layout:
    tarfile.USTAR_FORMAT, GNU_FORMAT or PAX_FORMAT."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=layout) as archive:
        for key, text in members.items():
            info = tarfile.TarInfo(key)
            info.type = tarfile.DIRTYPE if key.endswith("/") else tarfile.REGTYPE
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    with open(path(name), "wb") as file:
        file.write(gzip.compress(out.getvalue(), mtime=0))


def market(matrix, symmetry="symmetric"):
    out = io.BytesIO()
    scipy.io.mmwrite(out, matrix, symmetry=symmetry)
    return out.getvalue()


def make_archives():
    """Writes archives in the layout of the SuiteSparse Matrix Collection: name/name.mtx beside its
    right-hand side and coordinates."""
    matrix, rhs = market(sp.coo_matrix(A)), market(X[:, :1], "general")
    wrong = market(sp.coo_matrix(np.eye(2)))
    five = {"five/": b"", "five/five_b.mtx": market(np.arange(5.0)[:, None], "general"), "five/five_coord.mtx": rhs, "five/five.mtx": matrix}
    tar_gz("five.tar.gz", five, tarfile.USTAR_FORMAT)
    tar_gz("five_gnu.tgz", {"long" * 40 + "/" + "long" * 40 + ".mtx": matrix, "other.mtx": wrong}, tarfile.GNU_FORMAT)
    tar_gz("five_pax.tar.gz", {"lang\u00e9" * 30 + "/a.mtx": matrix, "notes.txt": b"hello"}, tarfile.PAX_FORMAT)
    tar_gz("two.tar.gz", {"a.mtx": matrix, "b.mtx": wrong}, tarfile.USTAR_FORMAT)
    tar_gz("none.tar.gz", {"readme.txt": b"hello"}, tarfile.USTAR_FORMAT)


def make_formats(full, lower):
    """Writes files by scipy.sparse.save_npz in the other formats, of matrices and of sparse
    arrays."""
    six = np.zeros((6, 6))
    six[:5, :5], six[5, 5] = A, 9
    sp.save_npz(path("coo_full.npz"), full.tocoo())
    sp.save_npz(path("coo_lower_array.npz"), sp.coo_array(lower), compressed=False)
    sp.save_npz(path("bsr.npz"), sp.bsr_array(six, blocksize=(2, 3)))
    sp.save_npz(path("bsr_lower.npz"), sp.bsr_matrix(np.tril(A), blocksize=(1, 1)), compressed=False)
    sp.save_npz(path("dia.npz"), sp.dia_matrix(full))
    sp.save_npz(path("dia_upper.npz"), sp.dia_array(np.triu(A)), compressed=False)
    sp.save_npz(path("csr_array.npz"), sp.csr_array(full))
    dia, bsr, coo = sp.dia_matrix(full), sp.bsr_matrix(six, blocksize=(2, 2)), lower.tocoo()
    name = lambda word: np.array(word.encode("ascii"))
    pack("dia_fortran.npz", dict(format=name("dia"), shape=np.array(A.shape), data=np.asfortranarray(dia.data.astype(np.float32)), offsets=dia.offsets.astype(np.int64)))
    # The following files are wrong.
    pack("dia_offset.npz", dict(format=name("dia"), shape=np.array(A.shape), data=dia.data, offsets=dia.offsets * 6))
    pack("dia_short.npz", dict(format=name("dia"), shape=np.array(A.shape), data=dia.data, offsets=dia.offsets[:-1]))
    pack("dia_huge.npz", dict(format=name("dia"), shape=np.array([2**31 - 1] * 2), data=dia.data, offsets=dia.offsets))
    pack("bsr_blocks.npz", dict(format=name("bsr"), shape=np.array(A.shape), data=bsr.data, indices=bsr.indices, indptr=bsr.indptr))
    pack("bsr_index.npz", dict(format=name("bsr"), shape=np.array(six.shape), data=bsr.data, indices=bsr.indices + 1, indptr=bsr.indptr))
    pack("bsr_flat.npz", dict(format=name("bsr"), shape=np.array(six.shape), data=bsr.data.ravel(), indices=bsr.indices, indptr=bsr.indptr))
    pack("coo_short.npz", dict(format=name("coo"), shape=np.array(A.shape), data=coo.data, row=coo.row, col=coo.col[:-1]))
    pack("coo_row.npz", dict(format=name("coo"), shape=np.array(A.shape), data=coo.data, row=coo.row - 1, col=coo.col))
    pack("coo_huge.npz", dict(format=name("coo"), shape=np.array([2**31 - 1] * 2), data=coo.data, row=coo.row, col=coo.col))
    pack("lil.npz", dict(format=name("lil"), shape=np.array(A.shape)))


def make():
    full, lower, upper = sp.csr_matrix(A), sp.csr_matrix(np.tril(A)), sp.csr_matrix(np.triu(A))
    sp.save_npz(path("full_csr.npz"), full)
    sp.save_npz(path("lower_csr_stored.npz"), lower, compressed=False)
    sp.save_npz(path("upper_csc.npz"), upper.tocsc())
    sp.save_npz(path("lower_csc.npz"), lower.tocsc())
    pack("descriptors.npz", members(lower), descriptors=True)
    pack("no_zip64.npz", members(lower), zip64=False)
    pack("int64.npz", members(lower, indices=lower.indices.astype(np.int64), indptr=lower.indptr.astype(np.int64)))
    pack("float32.npz", members(lower, data=lower.data.astype(np.float32)))
    pack("integer.npz", members(lower, data=np.round(4 * lower.data).astype(np.int16)))
    pack("big_endian.npz", members(lower, data=lower.data.astype(">f8"), indices=lower.indices.astype(">i4")), version=(3, 0))
    pack("unicode_format.npz", members(lower, format=np.array("csr")), version=(2, 0))
    pack("empty.npz", members(sp.csr_matrix((0, 0))))
    # The following files are wrong.
    pack("coo.npz", members(lower, format=np.array(b"coo")))
    pack("no_indptr.npz", {k: v for k, v in members(lower).items() if k != "indptr"})
    pack("nan.npz", members(lower, data=np.where(np.arange(lower.nnz) == 3, np.nan, lower.data)))
    pack("complex.npz", members(lower, data=lower.data.astype(complex)))
    pack("index_out_of_range.npz", members(lower, indices=np.where(lower.indices == 4, 5, lower.indices).astype(np.int32)))
    pack("negative_index.npz", members(lower, indices=np.where(lower.indices == 4, -1, lower.indices).astype(np.int32)))
    pack("indptr_short.npz", members(lower, indptr=lower.indptr[:-1]))
    pack("indptr_descends.npz", members(lower, indptr=np.array([0, 1, 4, 3, 7, 9], dtype=np.int32)))
    pack("indptr_end.npz", members(lower, indptr=np.array([0, 1, 3, 5, 7, 8], dtype=np.int32)))
    pack("data_short.npz", members(lower, data=lower.data[:-1]))
    pack("rectangular.npz", members(lower, shape=np.array([5, 6])))
    pack("float_indices.npz", members(lower, indices=lower.indices.astype(float)))
    pack("unsymmetric.npz", members(sp.csr_matrix(A + np.eye(5, k=4) * 1e-3)))
    pack("lzma.npz", members(lower), method=zipfile.ZIP_LZMA)
    make_formats(full, lower)
    make_archives()
    # The following files are dense.
    for name, array in dict(f8_c=X, f8_fortran=np.asfortranarray(X), f4=X.astype(np.float32), i8=X.astype(np.int64), vector=X[:, 0].copy(),
                            cube=np.zeros((2, 2, 2)), scalar=np.array(3.0), complex=X.astype(complex), big_endian=X.astype(">f8"),
                            nan=np.where(X == 5, np.inf, X), no_rows=np.zeros((0, 3))).items():
        with open(path(name + ".npy"), "wb") as file:
            file.write(npy(array))
    with open(path("two_members.mtx.gz"), "wb") as file:
        file.write(gzip.compress(b"%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 ", mtime=0))
        file.write(gzip.compress(b"2\n2 1 -1\n2 2 3\n", mtime=0))


if __name__ == "__main__":
    make()
