# Tests kauri spy, tree, convert, compare --html, completion and the man page: files, messages, and
# output.
# SPDX-License-Identifier: BSD-3-Clause
import gzip
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import unittest
import xml.etree.ElementTree
import zipfile
import zlib

from program import HEADER_KEYS, LIMIT_SECONDS, ProgramTest, kauri, read_symmetric, strict_json

SPY_KEYS = HEADER_KEYS + ["n", "nnz_lower", "file", "of", "cells", "reorder_s", "symbolic_s", "draw_s"]
TREE_KEYS = HEADER_KEYS + ["n", "nnz_lower", "file", "supernodes", "columns_high", "shapes", "reorder_s", "symbolic_s", "draw_s"]
CONVERT_KEYS = HEADER_KEYS + ["n", "nnz_lower", "file", "read_s", "write_s"]
SYSTEM = ["--gen", "poisson2d 20"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def png_pixels(path):
    """Returns width, height and rows of grey levels of a PNG whose palette is grey."""
    data, at, chunks = pathlib.Path(path).read_bytes(), 8, {}
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunks[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + length]
        at += 12 + length
    width, height, _, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert kind == 3, "a palette"
    raw = zlib.decompress(chunks[b"IDAT"])
    rows = [raw[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height)]
    return width, height, [[chunks[b"PLTE"][3 * number] for number in row] for row in rows]


class SpyTest(ProgramTest):
    def test_png_is_dark_where_entries_are(self):
        path = self.folder / "a.png"
        text = self.run_ok("spy", "--gen", "poisson2d 4", "-o", path, "--size", "64")
        self.assertIn("16 rows", text)
        self.assertIn(str(path), text)
        width, height, rows = png_pixels(path)
        self.assertEqual((width, height), (64, 64))
        matrix = self.folder / "a.mtx"
        self.run_ok("generate", "poisson2d 4", "-o", matrix)
        _, entries = read_symmetric(matrix)
        dark = {(y // 4, x // 4) for y in range(64) for x in range(64) if rows[y][x] < 255}
        self.assertEqual(dark, set(entries) | {(j, i) for i, j in entries})

    def test_svg_of_few_rows_has_the_entries_and_of_many_an_image(self):
        for spec, image in [("poisson2d 14", False), ("poisson2d 15", True)]:
            path = self.folder / "a.svg"
            self.run_ok("spy", "--gen", spec, "-o", path)
            names = [node.tag for node in xml.etree.ElementTree.parse(path).iter()]
            self.assertEqual((SVG + "image" in names, SVG + "path" in names), (image, not image))

    def test_factor_is_lower_and_has_the_entries_of_the_plan(self):
        path = self.folder / "l.png"
        result = self.json_of("spy", "--gen", "blockdiag 12 4", "--factor", "--ordering", "natural", "-o", path, "--size", "16")
        self.assertEqual(list(result), SPY_KEYS)
        self.assertEqual((result["of"], result["cells"], result["ordering"], result["file"]), ("L", 12, "natural", str(path)))
        _, _, rows = png_pixels(path)
        dark = {(y, x) for y in range(12) for x in range(12) if rows[y][x] < 255}
        self.assertEqual(dark, {(y, x) for y in range(12) for x in range(y // 4 * 4, y + 1)})

    def test_what_is_drawn_is_told(self):
        path = self.folder / "a.png"
        for words, of, ordering in [([], "A", None), (["--ordering", "rcm"], "P A P^T", "rcm"), (["--factor", "--ordering", "amd"], "L", "amd")]:
            result = self.json_of("spy", *SYSTEM, *words, "-o", path)
            self.assertEqual((result["of"], result["ordering"]), (of, ordering))
            self.assertEqual(result["reorder_s"] is None, ordering is None)

    def test_large_ones_are_small_files(self):
        path = self.folder / "a.png"
        self.run_ok("spy", "--gen", "poisson2d 200", "--factor", "--ordering", "amd", "-o", path)
        self.assertEqual(png_pixels(path)[:2], (512, 512))
        self.assertLess(path.stat().st_size, 150_000)

    def test_nothing_is_drawn_nowhere(self):
        empty = self.write("empty.mtx", "%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n")
        for name in ["a.svg", "a.png"]:
            for command in ["spy", "tree"]:
                self.run_ok(command, empty, "-o", self.folder / name)


class PictureNameTest(ProgramTest):
    def test_bad_names_are_refused_before_the_work(self):
        for command in ["spy", "tree"]:
            self.fails(1, command, "--gen", "poisson3d 200", "-o", self.folder / "a.gif", says=["a.gif", ".svg or .png"])
            self.fails(1, command, "--gen", "poisson3d 200", "-o", self.folder / "none" / "a.svg", says=["no folder"])
            self.fails(1, command, *SYSTEM, says=["-o"])
            self.fails(1, command, *SYSTEM, "-o", self.folder / "a.svg", "--size", "7", says=["--size"])
            self.fails(1, command, *SYSTEM, "--ordering", "best", "-o", self.folder / "a.svg", says=["'best'"])
            self.fails(1, command, self.folder / "none.mtx", "-o", self.folder / "a.svg", says=["no such file"])
        self.fails(1, "compare", "--gen", "poisson3d 200", "--html", self.folder / "a.pdf", says=["a.pdf", ".html"])
        self.assertEqual(list(self.folder.iterdir()), [])


class TreeTest(ProgramTest):
    def test_svg(self):
        path = self.folder / "t.svg"
        result = self.json_of("tree", *SYSTEM, "--ordering", "amd", "-o", path)
        self.assertEqual(list(result), TREE_KEYS)
        analysed = self.json_of("analyze", *SYSTEM, "--ordering", "amd", "--backend", "cpu")
        self.assertEqual(result["supernodes"], analysed["supernodes"])
        root = xml.etree.ElementTree.parse(path).getroot()
        titles = [node for node in root.iter() if node.tag == SVG + "title"]
        self.assertEqual(len(titles), result["shapes"])
        self.assertRegex(titles[0].text, r"^\d+ fronts?, \d+ columns, .* % of the work$")

    def test_png_and_many_leaves(self):
        for spec in ["tree 20000 1", "poisson2d 100"]:
            path = self.folder / "t.png"
            text = self.run_ok("tree", "--gen", spec, "--ordering", "amd", "-o", path)
            self.assertRegex(text, r"supernodes \(amd\), [\d,]+ columns high, drawn as [\d,]+ shapes")
            self.assertTrue(path.read_bytes().startswith(b"\x89PNG"))
            svg = self.folder / "t.svg"
            self.run_ok("tree", "--gen", spec, "--ordering", "amd", "-o", svg)
            self.assertLess(svg.stat().st_size, 500_000)

    def test_targets_and_fundamental_supernodes(self):
        words = ["--gen", "poisson3d 8", "--ordering", "nd"]

        def of(target, *more):
            path = self.folder / "t.svg"
            result = self.json_of("tree", *words, "--target", target, "-o", path, *more)
            analysed = self.json_of("analyze", *words, "--target", target, "--backend", "cpu", *more)
            self.assertEqual(result["supernodes"], analysed["supernodes"], target)
            return analysed["nnzL"], analysed["stored_entries"], analysed["supernodes"], path.read_bytes()

        merged = {target: of(target) for target in ["cpu-avx512", "cpu-avx2", "cpu-generic", "sm_90", "sm_80"]}
        alone = {target: of(target, "--fundamental") for target in merged}
        self.assertGreater(len({found[2] for found in merged.values()}), 1)
        self.assertEqual(len({found[3] for found in alone.values()}), 1, "before they are merged they are the same for all")
        for target, found in merged.items():
            self.assertEqual(found[0], alone[target][0], target)
            self.assertLess(found[2], alone[target][2], target)
            self.assertGreater(found[1], alone[target][1], target)
        own = self.json_of("info")["build"]["target"]
        path = self.folder / "own.svg"
        self.run_ok("tree", *words, "-o", path)
        self.assertEqual(path.read_bytes(), merged[own][3])
        self.assertIn("planned for sm_90", self.run_ok("analyze", *words, "--target", "sm_90"))
        for command in ["analyze", "spy", "tree"]:
            self.fails(1, command, *words, "-o", path, "--target", "cpu", says=["--target", "cpu-generic"])


class ConvertTest(ProgramTest):
    def test_there_and_back_gives_the_same_bytes(self):
        first = self.folder / "a.mtx"
        self.assertIn("written to", self.run_ok("convert", "--gen", "elast3d 3", first))
        for name in ["b.npz", "b.mtx.gz", "b.mtx"]:
            between, last = self.folder / name, self.folder / "c.mtx"
            self.run_ok("convert", first, between)
            self.run_ok("convert", between, last)
            self.assertEqual(first.read_bytes(), last.read_bytes(), name)
        self.assertEqual(gzip.decompress((self.folder / "b.mtx.gz").read_bytes()), first.read_bytes())

    def test_npz_has_what_scipy_reads(self):
        path = self.folder / "a.npz"
        self.run_ok("convert", "--gen", "poisson2d 3", path)
        with zipfile.ZipFile(path) as archive:
            self.assertIsNone(archive.testzip())
            arrays = {name: archive.read(name) for name in archive.namelist()}
        self.assertEqual(set(arrays), {f"{key}.npy" for key in ["format", "shape", "indptr", "indices", "data"]})
        data = {name: (blob[10 : blob.index(b"\n")].decode(), blob[blob.index(b"\n") + 1 :]) for name, blob in arrays.items()}
        self.assertEqual(data["format.npy"][1], b"csc")
        self.assertIn("'|S3', 'fortran_order': False, 'shape': ()", data["format.npy"][0])
        self.assertEqual(struct.unpack("<2q", data["shape.npy"][1]), (9, 9))
        ptr = struct.unpack("<10q", data["indptr.npy"][1])
        rows = struct.unpack(f"<{ptr[-1]}i", data["indices.npy"][1])
        values = struct.unpack(f"<{ptr[-1]}d", data["data.npy"][1])
        entries = {(rows[k], j): values[k] for j in range(9) for k in range(ptr[j], ptr[j + 1])}
        self.assertEqual(len(entries), 9 + 2 * 12)
        self.assertTrue(all(entries[j, i] == value for (i, j), value in entries.items()))
        self.assertTrue(all(list(rows[ptr[j] : ptr[j + 1]]) == sorted(rows[ptr[j] : ptr[j + 1]]) for j in range(9)))

    def test_json_and_shift(self):
        path = self.folder / "a.mtx"
        result = self.json_of("convert", "--gen", "poisson2d 3", path, "--shift", "0.5")
        self.assertEqual(list(result), CONVERT_KEYS)
        self.assertEqual(read_symmetric(path)[1][0, 0], 4.5)

    def test_bad_names_and_numbers_of_files(self):
        path = self.folder / "a.mtx"
        self.fails(1, "convert", "--gen", "poisson2d 3", self.folder / "a.csv", says=["a.csv", ".mtx, .mtx.gz or .npz"])
        self.fails(1, "convert", path, says=["IN and OUT"])
        self.fails(1, "convert", "--gen", "poisson2d 3", path, path, says=["OUT"])
        self.fails(1, "convert", self.folder / "none.mtx", path, says=["none.mtx"])
        self.assertFalse(path.exists())


class PageTest(ProgramTest):
    def test_page_holds_all_it_needs(self):
        path = self.folder / "page.html"
        text = self.run_ok("compare", *SYSTEM, "--gen", "tree 300 1", "--ordering", "rcm,amd", "--html", path)
        self.assertRegex(text.splitlines()[-1], r"page\.html: [\d.]+ kB$")
        html = path.read_text(encoding="utf-8")
        self.assertNotRegex(html, r"https?:|<script|<link|url\(")
        root = xml.etree.ElementTree.fromstring(html.split("\n", 1)[1])
        self.assertEqual([node.text for node in root.iter("h2")], ["poisson2d 20", "tree 300 1"])
        cards = list(root.iter("article"))
        self.assertEqual([card.find("h3").text.rstrip(" *") for card in cards], ["rcm", "amd"] * 2)
        for card in cards:
            labels = [svg.get("aria-label").split(" of ")[0] for svg in card.iter("svg")]
            self.assertEqual(labels, ["P A P^T", "L", "supernodes by columns", "fronts by rows", "assembly tree"])
        self.assertEqual(sum(node.get("class") == "mark" for node in root.iter("tr")), 2)

    def test_json_stays_json(self):
        path = self.folder / "page.html"
        result = self.json_of("compare", *SYSTEM, "--ordering", "amd", "--html", path)
        self.assertEqual(result["schema"], "kauri.compare/1")
        self.assertTrue(path.exists())

    def test_names_of_files_are_text(self):
        path, page = self.folder / "<b>&.mtx", self.folder / "page.html"
        self.run_ok("generate", "poisson2d 3", "-o", path)
        self.run_ok("compare", path, "--ordering", "amd", "--html", page)
        self.assertIn("<h2>&lt;b&gt;&amp;</h2>", page.read_text(encoding="utf-8"))


class SeveralTest(ProgramTest):
    def test_a_line_for_each_system(self):
        path = self.folder / "a.mtx"
        self.run_ok("generate", "poisson2d 11", "-o", path)
        done = kauri("compare", path, *SYSTEM, "--ordering", "natural,amd", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [strict_json(line) for line in done.stdout.splitlines()]
        self.assertEqual([line["system"] for line in lines], ["a", "poisson2d 20"])
        for line in lines:
            self.assertEqual([row["ordering"] for row in line["orderings"]], ["natural", "amd"])
            [chosen] = [row for row in line["orderings"] if row["chosen"]]
            self.assertEqual(chosen["ordering"], line["ordering"])
            self.assertIn(chosen["ordering"], line["reason"])

    def test_text_has_a_table_for_each(self):
        text = self.run_ok("compare", *SYSTEM, "--gen", "tree 300 1", "--ordering", "amd")
        self.assertEqual(len(re.findall(r"^  ordering ", text, re.MULTILINE)), 2)
        self.assertEqual(len(re.findall(r"^\* amd: of the named orderings", text, re.MULTILINE)), 2)

    def test_orderings_asked_for_with_a_file(self):
        path = self.write("p.txt", "".join(f"{r}\n" for r in reversed(range(400))))
        result = self.json_of("compare", *SYSTEM, "--ordering", f"amd,{path}")
        self.assertEqual([row["ordering"] for row in result["orderings"]], ["given", "amd"])
        alone = self.json_of("analyze", *SYSTEM, "--ordering", path)
        self.assertEqual(result["orderings"][0]["nnzL"], alone["nnzL"])

    def test_the_worst_is_the_exit_code(self):
        bad = self.write_symmetric("bad.mtx", 2, {(0, 0): 1.0, (1, 0): 2.0, (1, 1): 1.0})
        done = kauri("compare", bad, *SYSTEM, "--ordering", "amd", "--factor", "--json")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^kauri: bad is not positive definite: column [01] \(counted from 0\) met the pivot -3\n$")
        self.assertEqual([strict_json(line)["orderings"][0]["status"] for line in done.stdout.splitlines()], ["not_positive_definite", "ok"])

    def test_one_that_fails_does_not_stop_the_others(self):
        good = self.write_symmetric("good.mtx", 2, {(0, 0): 4.0, (1, 0): 1.0, (1, 1): 4.0})
        broken = self.write("broken.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 x 1\n")
        page = self.folder / "page.html"
        done = kauri("compare", good, broken, self.folder / "absent.mtx", *SYSTEM, "--ordering", "amd", "--html", page)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Akauri: .*broken\.mtx: line 3: .*\nkauri: .*absent\.mtx: no such file\n\Z")
        self.assertIn("good: 2 rows", done.stdout)
        self.assertIn(f"{SYSTEM[1]}: ", done.stdout)
        text = page.read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"<h2>([^<]*)</h2>", text), ["good", "broken", "absent", SYSTEM[1]])
        self.assertEqual(text.count("<p>Not compared: "), 2)
        done = kauri("compare", broken, good, "--ordering", "amd", "--json")
        self.assertEqual(done.returncode, 1)
        first, second = map(strict_json, done.stdout.splitlines())
        self.assertIn("line 3", first["fail"])
        self.assertEqual((first["system"], second["system"]), ("broken", "good"))
        self.assertNotIn("fail", second)
        done = kauri("compare", "--gen", "poisson2d 300", good, "--ordering", "amd", "--max-gb", "1e-3")
        self.assertEqual(done.returncode, 3)
        self.assertIn("--max-gb", done.stderr)

    def test_names_that_are_none(self):
        for words in ["amd,", "amd,best", "auto,amd", ","]:
            self.fails(1, "compare", *SYSTEM, "--ordering", words, says=["--ordering", "expected names out of natural, rcm, md, amd, pamd, nd, metis, with commas"])


class CompletionTest(ProgramTest):
    def complete(self, *words):
        """Returns what bash would offer for the last word."""
        script = kauri("--completion", "bash").stdout
        line = "COMP_WORDS=(" + " ".join(f"'{word}'" for word in words) + f"); COMP_CWORD={len(words) - 1}; _kauri; echo \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", script + line], capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_commands_options_and_values(self):
        self.assertEqual(self.complete("kauri", "comp"), ["compare"])
        self.assertIn("--version", self.complete("kauri", "--"))
        self.assertEqual(self.complete("kauri", "spy", "--fac"), ["--factor"])
        self.assertEqual(self.complete("kauri", "solve", "--backend", ""), ["auto", "cpu", "cuda"])
        self.assertEqual(set(self.complete("kauri", "tree", "--ordering", "")), {"natural", "rcm", "md", "amd", "pamd", "nd", "metis", "auto"})
        self.assertEqual(self.complete("kauri", "tree", "-o", ""), [])  # bash offers file names

    def test_named_options(self):
        self.assertEqual(self.complete("kauri", "solve", "--set", "refine.m"), ["refine.max_steps="])
        self.assertEqual(self.complete("kauri", "solve", "--set", "ordering.effort", "="), ["fast", "standard", "best"])  # bash splits words at =
        self.assertEqual(self.complete("kauri", "solve", "--set", "cuda.fast_solve", "=", "f"), ["false"])
        self.assertEqual(self.complete("kauri", "solve", "--set", "threads", "=", ""), [])

    def check_all_names(self, part_of, form):
        """Checks all commands and options. part_of(command): the script's part on it; form(name):
        how the script writes a name."""
        count = 0
        for line in self.run_ok("--completion", "bash").splitlines():
            if found := re.match(r"    (\w+)\) words='(-[^']*)'", line):
                part = part_of(found[1])
                for name in found[2].split():
                    self.assertIn(form(name), part, found[1])
                    count += 1
        self.assertGreater(count, 50)

    def test_zsh(self):
        script = self.run_ok("--completion", "zsh")
        part_of = lambda command: re.search(rf"^    {command}\)$(.*?);;$", script, re.MULTILINE | re.DOTALL)[1]
        self.check_all_names(part_of, lambda name: f"'*{name}[" if name == "--set" else f"'{name}[")
        self.assertIn("'--backend[where to compute]:NAME:(auto cpu cuda)'", script)
        self.assertIn("'--json[print one JSON object in place of the text]' ", script)  # a flag takes no value

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_itself(self):
        script = self.write("_kauri", self.run_ok("--completion", "zsh"))
        subprocess.run(["zsh", "-n", script], check=True, timeout=LIMIT_SECONDS)

    def test_fish(self):
        script = self.run_ok("--completion", "fish")
        lines = script.splitlines()
        part_of = lambda command: "".join(line + "\n" for line in lines if f"__fish_seen_subcommand_from {command}'" in line)
        self.check_all_names(part_of, lambda name: f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} ")
        self.assertIn(" -l json -d ", part_of("solve"))  # a flag takes no value

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_itself(self):
        script = self.write("kauri.fish", self.run_ok("--completion", "fish"))
        fish = ["fish", "--no-config", "-c", f"source {script}; complete -C 'kauri solve --backend '; complete -C 'kauri comp'; complete -C 'kauri solve --set cuda.fast'"]
        offered = subprocess.run(fish, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS).stdout
        self.assertEqual([line.split("\t")[0] for line in offered.splitlines()], ["auto", "cpu", "cuda", "compare", "cuda.fast_solve=false", "cuda.fast_solve=true"])

    def test_other_shells_are_refused(self):
        self.fails(1, "--completion", "tcsh", says=["bash"])


class ManualTest(ProgramTest):
    def test_the_file_is_what_the_program_prints(self):
        page = self.run_ok("--manual")
        self.assertEqual(page, (ROOT / "docs" / "kauri.1").read_text(encoding="utf-8"), "kauri --manual >docs/kauri.1 makes it anew")
        text = page.replace("\\-", "-")
        for line in self.run_ok("--completion", "bash").splitlines():
            if found := re.match(r"    (\w+)\) words='(-[^']*)'", line):
                for word in found[2].split():
                    self.assertRegex(text, rf"\n\.B (\S+, )*{re.escape(word)}(?![\w-])", found[1])

    def test_roff_reads_it_without_a_warning(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        page = self.run_ok("--manual")
        done = subprocess.run(["groff", "-man", "-ww", "-z"], input=page, capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
        self.assertEqual(done.stderr, "")
