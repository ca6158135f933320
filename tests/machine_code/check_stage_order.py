#!/usr/bin/env python3
"""Reads machine code of kernels whose operands come to shared memory by bulk copies, and fails if a stage may be given back too early.

A warp gives a stage of the ring back by an arrival at a barrier (SYNCS.ARRIVE), and the producer
then overwrites it. Loads complete in the background: if the arrival is issued before an instruction
has waited for their numbers, a load under way was seen to read the next bytes
(numeric/cuda/factor/tiled/update.cuh, leave_stage). No fence separates them, so correctness depends
on the order of instructions, which each compiler may choose. The check follows every path of the
program: at each arrival, every number loaded from shared memory (one or two of 8 bytes at a time)
must have been used once, unless a proxy fence lies between.

    check_stage_order.py --cuobjdump PROGRAM FILE ...      objects, libraries or cubins of sm_90a; prints a line for each kernel
    check_stage_order.py --sass FILE ...                   reads output of cuobjdump -sass instead
Exits with 77 if the program is missing or the files have no kernel to check.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import re
import shutil
import subprocess
import sys

LIMIT_SECONDS = 1200  # for each wait
KERNELS = re.compile(r"\d(front_kernel|run_streamed_tasks)(?=E|I)")
LINE = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(.*?);")
BRANCH = re.compile(r"\b(BRA|BRX|CALL|JMP)\b[^;]*?\b(0x[0-9a-f]+)")
WAYS_OUT = re.compile(r"^(EXIT|RET|BRA|JMP|KILL|BPT)\b")
REGISTER = re.compile(r"(?<![A-Z])R(\d+)")

# Lists the registers of a lane in each source of a product: left operand, right operand, addend.
PRODUCTS = {
    "DMMA.16x8x16": (16, 8, 8),
    "DMMA.16x8x8": (8, 4, 8),
    "DMMA.16x8x4": (4, 2, 8),
    "DMMA.8x8x4": (2, 2, 4),
    "HMMA.1688": (4, 2, 4),
    "HMMA.16816": (4, 2, 4),
    "HGMMA": (4, 1, 1),
}


# These instructions sum integers, which form addresses; all other instructions convert, split, add
# or move numbers on their way to a product.
OF_ADDRESSES = re.compile(r"(IADD3|IADD|VIADD|LEA|IMAD\.(IADD|WIDE)|IMAD$|ISETP|XMAD)\b|IMAD$")


def registers_in(text, width):
    return {first + k for first in map(int, REGISTER.findall(text)) for k in range(width)}


class Instruction:
    """Holds an address, the instruction's text without the predicate, the predicate, and where
    execution continues."""

    def __init__(self, address, text):
        self.address = address
        self.predicate = ""
        if text.startswith("@"):
            self.predicate, text = text.split(None, 1)
        self.text = text.strip()
        self.name = self.text.split()[0]
        branch = BRANCH.search(self.text)
        self.target = int(branch.group(2), 16) if branch else None
        conditional = self.predicate or re.match(r"BRA(\.\w+)*\.(DIV|ANY|CONV)|BRA\s+U?!?P|BRA(\.U)?\s+!?U?P", self.text)
        self.falls_through = not WAYS_OUT.match(self.name) or bool(conditional)

    def loaded(self):
        """Returns the registers that receive numbers of 8 bytes from shared memory in the
        background."""
        words = 4 if ".128" in self.name else 2 if ".64" in self.name else 0
        if not self.name.startswith("LDS") or words == 0:
            return set()
        first = int(REGISTER.search(self.text).group(1))
        return set(range(first, first + words))

    def sources(self):
        """Returns the parts of the text that name what the instruction reads: the address of a
        load, otherwise all behind the first operand."""
        operands = self.text[len(self.name) :]
        if self.name.startswith("LD"):
            return [operands.split("[", 1)[1]] if "[" in operands else []
        return operands.split(",")[1:]

    def widths(self):
        """Returns the registers of each source if the instruction is a product, else None."""
        return next((widths for shape, widths in PRODUCTS.items() if self.name.startswith(shape)), None)

    def used(self):
        """Returns the registers for whose numbers the instruction waits: all that it names, each
        with the following ones that belong to the operand; only the address of a load."""
        if self.name.startswith("LDS"):
            return registers_in("".join(self.sources()), 2)
        if not self.widths():
            return registers_in(self.text[len(self.name) :], 2)
        return set().union(*(registers_in(source, width) for source, width in zip(self.sources(), self.widths())))


def functions(sass):
    """Yields name and instructions of each function."""
    name, code = None, []
    for line in sass.splitlines():
        if "Function :" in line:
            if name:
                yield name, code
            name, code = line.split(":", 1)[1].strip(), []
        elif name and (found := LINE.match(line)):
            code.append(Instruction(int(found.group(1), 16), found.group(2)))
    if name:
        yield name, code


def ways_on(code, place, k):
    """Returns the instructions that may follow instruction k."""
    following = [k + 1] if code[k].falls_through and k + 1 < len(code) else []
    return following + ([place[code[k].target]] if code[k].target in place else [])


def bits(registers):
    return sum(1 << register for register in registers)


class Flow:
    """Describes how an instruction treats numbers on their way to a product, with registers as
    bits: a product takes those in `taken`, others pass from `read` to `made`, or are lost in
    `lost`."""

    def __init__(self, instruction):
        sources, widths = instruction.sources(), instruction.widths()
        self.taken = self.read = self.made = self.lost = 0
        if widths:
            self.taken = bits(set().union(*(registers_in(source, width) for source, width in zip(sources[:2], widths))))
            return
        first = REGISTER.search(instruction.text.split(",")[0])
        if not first or instruction.name.startswith("ST"):
            return
        begin = int(first.group(1))
        self.made = bits(range(begin, begin + (2 if instruction.name.startswith("D") else 1)))
        if not instruction.name.startswith("LD") and not OF_ADDRESSES.match(instruction.name):
            self.read = bits(registers_in(",".join(sources), 1))
        if not instruction.predicate:
            self.lost = self.made | bits(instruction.loaded())

    def wanted(self, behind):
        """Returns the registers whose numbers reach a product from before the instruction, if those
        in `behind` do from behind it."""
        return self.taken | (behind & ~self.lost) | (self.read if behind & self.made else 0)


def operands(code, place):
    """Returns the loads, by address, whose numbers reach the left or right side of a product on
    some path of the program, directly or through arithmetic. Works backwards from the products
    until nothing is added."""
    flows = [Flow(instruction) for instruction in code]
    before = [[] for _ in code]
    for k in range(len(code)):
        for n in ways_on(code, place, k):
            before[n].append(k)
    behind = [0] * len(code)  # wanted on some path from there
    work = [k for k, flow in enumerate(flows) if flow.taken]
    while work:
        n = work.pop()
        wanted = flows[n].wanted(behind[n])
        for k in before[n]:
            if wanted & ~behind[k]:
                behind[k] |= wanted
                work.append(k)
    return {instruction.address for instruction, wanted in zip(code, behind) if bits(instruction.loaded()) & wanted}


def jumped_to(code, pending):
    """Returns the first instruction that no path reaches, if there are jumps by a table (BRX): it
    is one of their targets, which the listing does not name. Marks it as reached with no load under
    way, as at the start of each task."""
    if any(instruction.name == "BRX" for instruction in code):
        for k in range(1, len(code)):
            if pending[k] is None and pending[k - 1] is not None and code[k].name != "NOP":
                pending[k] = {}
                return [k]
    return []


def too_early(code):
    """Returns arrivals that some path reaches before numbers of a load have been used: (arrival,
    load)."""
    place = {instruction.address: k for k, instruction in enumerate(code)}
    pending = [None] * len(code)  # before each instruction: register -> address of its load
    pending[0] = {}
    work, found = [0], set()
    while work or (work := jumped_to(code, pending)):
        k = work.pop()
        instruction, now = code[k], dict(pending[k])
        if instruction.name.startswith("SYNCS.ARRIVE"):
            found.update((instruction.address, load) for load in now.values())
        if instruction.name.startswith("FENCE.VIEW.ASYNC"):
            now = {}
        for register in instruction.used():
            load = now.pop(register, None)
            if load is not None:  # a wait for part of a load is a wait for all of it
                now = {r: other for r, other in now.items() if other != load}
        now.update((register, instruction.address) for register in instruction.loaded())
        for n in ways_on(code, place, k):
            if pending[n] is None:
                pending[n] = dict(now)
            elif now.items() <= pending[n].items():
                continue
            else:
                pending[n] = {**now, **pending[n]}
            work.append(n)
    of_products = operands(code, place)
    return sorted((arrival, load) for arrival, load in found if load in of_products)


def check(name, sass):
    """Prints the findings in a file; returns the number of kernels and of wrong kernels."""
    kernels = wrong = 0
    for function, code in functions(sass):
        kernel = KERNELS.search(function)
        if not kernel:
            continue
        kernels += 1
        arrivals = sum(i.name.startswith("SYNCS.ARRIVE") for i in code)
        place = {instruction.address: k for k, instruction in enumerate(code)}
        loads = len(operands(code, place))
        products = sum("MMA" in i.name for i in code)
        bad = too_early(code)
        wrong += bool(bad) or not (arrivals and loads and products)
        print(f"{name}: {kernel.group(1)}: {products} products, {loads} loads of operands, {arrivals} arrivals, {len(bad)} too early")
        for arrival, load in bad[:8]:
            print(f"  the arrival at {arrival:#x} is reached while what {load:#x} loads has not been used")
        if not (arrivals and loads and products):
            print("  this is not the code that the check knows: it finds no products, loads or arrivals")
    return kernels, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--sass", action="store_true", help="files are what cuobjdump -sass or nvdisasm has written")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    if not arguments.sass and not shutil.which(arguments.cuobjdump):
        print("skipped: there is no cuobjdump here (PyPI's nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm have it)")
        return 77
    kernels = wrong = 0
    for file in arguments.files:
        if arguments.sass:
            with open(file, encoding="utf-8") as text:
                sass = text.read()
        else:
            sass = subprocess.run([arguments.cuobjdump, "-sass", file], check=True, capture_output=True, text=True, timeout=LIMIT_SECONDS).stdout
        some, bad = check(file.rsplit("/", 1)[-1], sass)
        kernels, wrong = kernels + some, wrong + bad
    if kernels == 0:
        print("skipped: no kernel of sm_90a in these files")
        return 77
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
