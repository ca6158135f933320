#!/usr/bin/env python3
# Tests that the checks can fail: the check of stages on listings with an early arrival along some
# path and on correct ones, the check of guards, the check of what ships, the count of FP64
# instructions, and the check of sizes.
# SPDX-License-Identifier: BSD-3-Clause
import contextlib
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_fp64  # noqa: E402
import check_guards  # noqa: E402
import check_shipped  # noqa: E402
import check_size  # noqa: E402
import check_stage_order  # noqa: E402

LOAD = "LDS.128 R20, [R2]"
PRODUCT = "DMMA.16x8x16 R8, R20, R40, R8"
ARRIVAL = "@!P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R3+URZ+0x160], RZ"
WAIT = "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ+0x140], R2"
FENCE = "FENCE.VIEW.ASYNC.S"

# Each case is: name, instructions (16 bytes each, so that the k-th is at 16 k), number of early
# arrivals.
CASES = (
    ("used before", [LOAD, PRODUCT, WAIT, ARRIVAL, "EXIT"], 0),
    ("right after the load", [LOAD, ARRIVAL, PRODUCT, "EXIT"], 1),
    ("one of two loads", [LOAD, "LDS.128 R40, [R4]", "DADD R20, R20, R6", ARRIVAL, PRODUCT, "EXIT"], 1),
    ("a fence between", [LOAD, FENCE, ARRIVAL, PRODUCT, "EXIT"], 0),
    ("across the end of a loop", [WAIT, ARRIVAL, PRODUCT, LOAD, "@P1 BRA 0x0", PRODUCT, "EXIT"], 1),
    ("a loop in order", [WAIT, ARRIVAL, LOAD, PRODUCT, "@P1 BRA 0x0", "EXIT"], 0),
    ("by a jump over the product", [LOAD, "@P1 BRA 0x30", PRODUCT, ARRIVAL, PRODUCT, "EXIT"], 1),
    ("nothing is passed behind an end", [LOAD, PRODUCT, LOAD, "EXIT", ARRIVAL, "EXIT"], 0),
    ("only the second half is used", [LOAD, "DADD R30, R22, R6", ARRIVAL, PRODUCT, "EXIT"], 0),
    ("a rotated loop, used at its head alone", [LOAD, PRODUCT, "NOP", WAIT, ARRIVAL, PRODUCT, LOAD, "@P1 BRA 0x30", "EXIT"], 1),
    ("a use far behind", [LOAD, ARRIVAL, *["NOP"] * 700, PRODUCT, "EXIT"], 1),
    ("a use on one of two ways", [LOAD, ARRIVAL, "@P1 BRA 0x50", "MOV R20, R4", "BRA 0x60", PRODUCT, "EXIT"], 1),
    ("overwritten on every way", [LOAD, PRODUCT, LOAD, ARRIVAL, "MOV R20, R4", "MOV R21, R4", "MOV R22, R4", "MOV R23, R4", PRODUCT, "EXIT"], 0),
    ("no loads: other code than is known", [PRODUCT, ARRIVAL, "EXIT"], None),
)


def listing(instructions):
    lines = ["\t\tFunction : _ZN5kauri12front_kernelEv"]
    lines += [f"        /*{16 * k:04x}*/                   {text} ;  /* 0x0 */" for k, text in enumerate(instructions)]
    return "\n".join(lines)


# Each case is: symbols, number of wrong ones.
GUARDS = (
    (["guard variable for kauri::options()::all", "guard variable for kauri::options()::all"], 1),
    (["guard variable for kauri::(anonymous namespace)::watchdog()::all"], 1),
    (["guard variable for kauri::numeric::cuda::watchdog::(anonymous namespace)::devices()::all"], 0),
    (["guard variable for __device_stub__ZN5kauri6kernelEv(int&)::__tmp", "kauri::guard()"], 0),
)

# a symbol of the library, and whether it is one of the header's functions
HEADER = "/// Finds.\nstd::string find_flaw(const Plan& plan);\n[[nodiscard]] bool prepare();\ninline int twice(int n) { return 2 * n; }\n"
SHIPPED = (
    ("T kauri::find_flaw[abi:cxx11](kauri::Plan const&)", True),
    ("t kauri::symbolic::prepare()", True),
    ("W std::vector<int> kauri::prepare<int>()", False),
    ("U kauri::find_flaw[abi:cxx11](kauri::Plan const&)", False),
    ("T kauri::twice(int)", False),
    ("T kauri::find_flaw_of(kauri::find_flaw const&)", False),
)

# instructions of a kernel, and whether they are wrong if one of FP64 is allowed
FP64 = (
    (["FFMA R1, R2, R3, R1", "FSETP.GT.AND P0, PT, R1, R2, PT", "MUFU.RCP R1, R2", "F2F.F16.F32 R1, R2", "I2F.S64 R1, R2", "EXIT"], False),
    (["F2F.F64.F32 R2, R1", "EXIT"], False),
    (["F2F.F64.F32 R2, R1", "DADD R2, R2, R4", "EXIT"], True),
    (["@P0 DFMA R2, R4, R6, R2", "DSETP.GEU.AND P0, PT, R2, R4, PT", "EXIT"], True),
    (["MUFU.RCP64H R3, R5", "F2F.F32.F64 R1, R2"], True),
    (["DMMA.8x8x4 R2, R4, R6, R2", "DMUL R2, R2, R4"], True),
)

# bytes, and whether a limit of 60 MB refuses them
SIZES = ((60_000_000, False), (60_000_001, True), (0, False))

failures = []
for instructions, expected in FP64:
    counted = check_fp64.counts(listing(instructions))
    if bool(check_fp64.findings(counted, {"12front_kernel": 1})[1]) != expected:
        failures.append(f"{instructions}: {counted}")
if check_fp64.findings({}, {"12front_kernel": 1})[1] != 1:
    failures.append("a kernel that is missing: passed over")
for size, expected in SIZES:
    if bool(check_size.too_large({"planted": size}, 60)) != expected:
        failures.append(f"{size} bytes: {'passed' if expected else 'refused'}")
for symbol, expected in SHIPPED:
    if bool(check_shipped.shipped(f"0000000000000000 {symbol}", check_shipped.declared(HEADER))) != expected:
        failures.append(f"{symbol}: {'passed over' if expected else 'found'}")
for symbols, expected in GUARDS:
    wrong = len(check_guards.guarded("\n".join(f"0000000000000000 b {name}" for name in symbols)))
    if wrong != expected:
        failures.append(f"{symbols}: {wrong} guards are wrong, {expected} expected")
for name, instructions, expected in CASES:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        kernels, wrong = check_stage_order.check("planted", listing(instructions))
    found = next(check_stage_order.functions(listing(instructions)))[1]
    early = len(check_stage_order.too_early(found))
    good = kernels == 1 and (wrong == 1 if expected is None else early == expected and wrong == bool(expected))
    if not good:
        failures.append(f"{name}: {early} too early, {expected} expected\n{text.getvalue()}")
print("\n".join(failures) or f"{len(CASES) + len(GUARDS) + len(SHIPPED) + len(FP64) + len(SIZES)} listings and sizes as they should be")
sys.exit(bool(failures))
