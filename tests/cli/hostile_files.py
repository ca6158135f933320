# Makes files that a reader must refuse, byte by byte, with the standard library alone.
# SPDX-License-Identifier: BSD-3-Clause
import gzip
import io
import struct
import tarfile
import zipfile

SYMMETRIC = "%%MatrixMarket matrix coordinate real symmetric\n"
GENERAL = "%%MatrixMarket matrix coordinate real general\n"
GOOD = SYMMETRIC + "3 3 5\n1 1 2.5\n2 1 -1.25\n2 2 3.75\n3 2 0.5\n3 3 4.125\n"

# PLACE matches the place in the file that a message names. WHOLE matches all messages about the
# file as a whole, which name no place.
PLACE = r"line \d+: |array '\w+': |entr(y|ies) \(|at byte \d+|near byte \d+|after \d+ bytes"
WHOLE = (r"is empty|is a directory|is not in a known format|is a dense \.npy array|the zip directory at the end of the file is missing|"
         r"the archive holds no |holds several matrices")
# EXPECTED matches what a message says was expected, either literally or as a claim of the file, or
# that the file is damaged, if nothing more can be said.
EXPECTED = r"expected |promised|ask for|is empty|cut short|damaged|checksum is wrong|is not symmetric"
NUMBERS = ["2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551616", "-1", "1e9", "nan", ""]


def market():
    """Yields Matrix Market files: banners, sizes, counts, indices, values, halves."""
    for words in ["", "matrix", "matrix coordinate real", "matrix coordinate complex symmetric", "matrix coordinate real hermitian",
                  "matrix coordinate real skew-symmetric", "matrix array pattern symmetric", "vector coordinate real general",
                  "matrix coordinate real symmetric symmetric", "matrix coordinate quad symmetric", "matrix elemental real symmetric"]:
        yield f"%%MatrixMarket {words}\n3 3 1\n1 1 1\n"
    for number in NUMBERS:
        yield SYMMETRIC + f"{number} {number} 1\n1 1 1\n"
        yield SYMMETRIC + f"3 3 {number}\n1 1 1\n"
        yield SYMMETRIC + f"3 3 1\n{number} 1 1\n"
        yield SYMMETRIC + f"3 3 1\n3 {number} 1\n"
        yield f"%%MatrixMarket matrix array real symmetric\n{number} {number}\n1\n"
    for value in ["nan", "-NaN", "inf", "-Infinity", "1e999", "-1D+999", "one", "0x10", "1,5", "--1", "1e", "\x00", "1 2"]:
        yield SYMMETRIC + f"2 2 2\n1 1 4\n2 2 {value}\n"
    for body in ["2 2 1\n1 1 1\n2 2 1\n", "2 2 3\n1 1 1\n2 2 1\n", "2 2 2\n2 1 1\n1 2 1\n", "2 2 1\n0 0 1\n", "2 3 1\n1 1 1\n", "2 2\n", "2 2 2 2\n", "\n\n"]:
        yield SYMMETRIC + body
    for body in ["2 2 1\n2 1 5\n", "2 2 1\n1 2 5\n", "2 2 2\n1 2 5\n2 1 6\n", "2 2 3\n2 1 5\n1 2 5\n2 1 1\n"]:
        yield GENERAL + body
    yield "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"
    yield SYMMETRIC + "1 1 2\n1 1 1e308\n1 1 1e308\n"
    yield from ["%", "%%", "%%MatrixMarket", "hello", "\x00" * 1000, "\n" * 1000, "[" * 1000, "9" * 100000, "%%" + "M" * 100000, SYMMETRIC * 3]


def cuts(whole, count):
    """Yields `count` beginnings of `whole`, spread over its length."""
    for k in range(1, count + 1):
        yield whole[: len(whole) * k // (count + 1)]


def boeing():
    """Yields Rutherford-Boeing files: headers and fields."""
    head = "title".ljust(72) + "key     \n" + "             3             1             1             1\n"
    sizes, formats = "rsa  3 3 5 0\n", "(4I4)           (5I3)           (3E10.2)            \n"
    body = "   1   3   5   6\n  1  2  2  3  3\n  2.00E+00 -1.00E+00  3.00E+00\n  5.00E-01  4.00E+00\n"
    whole = head + sizes + formats + body
    yield from cuts(whole, 12)
    for number in NUMBERS:
        yield head + f"rsa  {number} {number} 5 0\n" + formats + body
        yield head + f"rsa  3 3 {number} 0\n" + formats + body
    for kind in ["rua", "csa", "rsx", "rse", "qsa", "zzz", "rha"]:
        yield whole.replace("rsa", kind)
    for old, new in [("(4I4)", "(0I4)"), ("(4I4)", "(4X4)"), ("(5I3)", "5I3"), ("(3E10.2)", "(99999E10.2)"), ("   1   3", "   1   0"), ("   6\n", "   7\n"),
                     ("  1  2  2", "  1  2 -2"), ("  1  2  2", "  1  2  9"), ("2.00E+00", "2.0E+999"), ("2.00E+00", "     nan"), ("2.00E+00", "2.00x+00")]:
        yield whole.replace(old, new, 1)


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode("latin1")))
    return out.getvalue()


def archives():
    """Yields gzip and tar files: cut short, damaged, with wrong sizes, without a matrix or with
    several."""
    packed, tar = gzip.compress(GOOD.encode(), mtime=0), tar_of({"a/a.mtx": GOOD})
    yield from cuts(packed, 8)
    yield from cuts(gzip.compress(tar, mtime=0), 8)
    yield from [tar[:300], tar[:512], tar[:560], tar[:600]]  # inside its header, behind it, inside its member
    yield packed + b"rubbish"
    yield packed[:-8] + bytes(8)
    yield gzip.compress(b"", mtime=0)
    yield gzip.compress(packed, mtime=0)
    yield gzip.compress(bytes(50_000_000), mtime=0)
    for members in [{}, {"readme.txt": "hello"}, {"a.mtx": GOOD, "b.mtx": GOOD}, {"a.mtx": ""}, {"a.mtx": "hello"}, {"a.mtx": GOOD + "1 1 1\n"}, {"a.rb": "hello"}]:
        yield tar_of(members)
    yield tar[:3] + b"x" + tar[4:]
    yield tar[:124] + b"77777777777\0" + tar[136:]


def npy(kind, shape, data):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def zip_of(arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in arrays.items():
            archive.writestr(zipfile.ZipInfo(name + ".npy"), data)
    return out.getvalue()


def ints(*values):
    return npy("<i8", f"({len(values)},)", struct.pack(f"<{len(values)}q", *values))


def doubles(*values):
    return npy("<f8", f"({len(values)},)", struct.pack(f"<{len(values)}d", *values))


def scipy():
    """Yields .npz files: each format with arrays that are missing, short, out of range or of huge
    shapes."""
    word = lambda text: npy(f"|S{len(text)}", "()", text.encode())
    nan, huge = float("nan"), 2**31 - 1
    csr = dict(format=word("csr"), shape=ints(2, 2), indices=ints(0, 1), indptr=ints(0, 1, 2), data=doubles(4, 4))
    coo = dict(format=word("coo"), shape=ints(2, 2), row=ints(0, 1), col=ints(0, 1), data=doubles(4, 4))
    bsr = csr | dict(format=word("bsr"), shape=ints(4, 4), data=npy("<f8", "(2, 2, 2)", struct.pack("<8d", 4, 1, 1, 4, 4, 1, 1, 4)))
    dia = dict(format=word("dia"), shape=ints(2, 2), offsets=ints(0), data=npy("<f8", "(1, 2)", struct.pack("<2d", 4, 4)))
    for good in [csr, coo, bsr, dia]:
        for name in good:
            yield zip_of({key: value for key, value in good.items() if key != name})
            yield zip_of(good | {name: npy("<f8", "(4611686014132420609,)", bytes(16))})
        yield zip_of(good | dict(shape=ints(huge, huge)))
        yield zip_of(good | dict(shape=ints(2**62, 2**62)))
        yield zip_of(good | dict(data=doubles(4, nan)))
        yield from cuts(zip_of(good), 4)
    yield zip_of(csr | dict(indices=ints(0, 2)))
    yield zip_of(csr | dict(indices=ints(0, -1)))
    yield zip_of(csr | dict(indices=ints(1, 1)) | dict(data=doubles(float("inf"), 1)))
    yield zip_of(csr | dict(indptr=ints(0, 2**62, 2)))
    yield zip_of(csr | dict(indices=ints(0, 1, 0), indptr=ints(0, 2, 3), data=doubles(4, 1, 2)) | dict(shape=ints(2, 3)))
    yield zip_of(coo | dict(row=ints(0, 2)))
    yield zip_of(coo | dict(row=ints(0, 1, 0), col=ints(1, 0, 0), data=doubles(1, 2, 3)))
    yield zip_of(bsr | dict(data=npy("<f8", "(2, 3, 3)", bytes(144))))
    yield zip_of(bsr | dict(data=npy("<f8", "(0, 2147483647, 2147483647)", b"")))
    yield zip_of(dia | dict(offsets=ints(2**62)))
    yield zip_of({})
    yield npy("<f8", "(2, 2)", bytes(32))
    yield bytes(22)


def collection():
    """Returns (ending, bytes) of every file."""
    for ending, files in [("mtx", market()), ("rb", boeing()), ("tar.gz", archives()), ("npz", scipy())]:
        for content in files:
            yield ending, content.encode("latin1") if isinstance(content, str) else content
