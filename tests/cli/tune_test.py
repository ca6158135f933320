# kauri tune without a device and, where there is one, with it; --card and --precision auto.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib

from program import ProgramTest, has_cuda_device, kauri, strict_json

CARD = pathlib.Path(__file__).resolve().parents[1] / "support" / "card.json"
SYSTEM = ["--gen", "poisson2d 9"]


class TuneTest(ProgramTest):
    def test_without_a_device(self):
        if has_cuda_device():
            self.skipTest("there is a device")
        file = self.folder / "card.json"
        done = kauri("tune", "--output", file)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"\Akauri: .*(there is no CUDA device|the CUDA backend is not part of this build)")
        self.assertFalse(file.exists())

    def test_a_card_is_what_it_prints(self):
        if not has_cuda_device():
            self.skipTest("no CUDA device")
        file = self.folder / "card.json"
        text = self.run_ok("tune", "--output", file)
        self.assertEqual(file.read_text(encoding="ascii"), text)
        card = strict_json(text)
        self.assertEqual(list(card), list(strict_json(CARD.read_text(encoding="ascii"))))
        of_driver = ["clock_hz", "bandwidth", "single_to_double"]  # 0 if it does not report them
        self.assertTrue(all(value >= (key not in of_driver) * 1e-12 for key, value in card.items() if not isinstance(value, str)), card)
        for words in [["--backend", "cuda", "--precision", "auto"], ["--backend", "auto"]]:
            result = self.json_of("solve", "--gen", "poisson3d 20", "--card", file, *words)
            self.assertEqual(result["status"], "ok")

    def test_refusals(self):
        self.fails(1, "tune", "--output", self.folder / "none" / "card.json", says=["there is no folder"])
        self.fails(1, "tune", "--set", "cuda.compute=abacus", says=["cuda.compute"])
        self.fails(1, "tune", "card.json", says=["card.json"])
        for option in ["multiprocessors=8", "compute=fma", "portable=true", "fast_solve=false"]:
            name, value = option.split("=")
            self.fails(1, "tune", "--set", f"cuda.{option}", says=[f"measure_card: {name} is ", "a card is measured as a whole"])
        missing, text = self.folder / "missing.json", CARD.read_text(encoding="ascii")
        self.fails(1, "solve", *SYSTEM, "--card", missing, says=[str(missing)])
        line = text.splitlines().index('  "copy_s": 1.2e-05,') + 1
        wrong = self.write("wrong.json", text.replace("1.2e-05", "-1"))
        for command in ["solve", "bench", "analyze", "compare"]:
            says = [f"wrong.json: line {line}: copy_s is -1, expected a number from 1e-12 to 1000"]
            self.fails(1, command, *SYSTEM, "--card", wrong, says=says)
        newer = self.write("newer.json", text.replace("kauri.card/1", "kauri.card/9"))
        self.fails(1, "solve", *SYSTEM, "--card", newer, says=["newer.json: line 2: schema is 'kauri.card/9', expected 'kauri.card/1'"])

    def test_the_shared_card_is_as_it_is_written(self):
        """Keys and order of the card that tests share are those of the schema."""
        card = strict_json(CARD.read_text(encoding="ascii"))
        self.assertEqual(card["schema"], "kauri.card/1")
        self.assertEqual(kauri("solve", *SYSTEM, "--backend", "cpu", "--card", CARD).returncode, 0)


class PrecisionTest(ProgramTest):
    def test_on_the_cpu_auto_is_full(self):
        words = [*SYSTEM, "--backend", "cpu"]
        full, auto, mixed = (self.json_of("solve", *words, "--precision", p) for p in ["full", "auto", "mixed"])
        self.assertEqual([r["precision"] for r in (full, auto, mixed)], ["full", "full", "mixed"])
        reasons = [r["precision_reason"] for r in (full, auto, mixed)]
        self.assertEqual(reasons, ["full: as asked for", "full: on the CPU", "mixed: as asked for"])
        self.assertEqual([r["precisions"] for r in (full, auto, mixed)], [None, None, None])
        self.assertEqual(auto["options"], {"backend": "cpu", "precision": "auto"})
        for key in ["backward_error_componentwise", "nnzL", "planned_bytes", "path", "smallest_pivot"]:
            self.assertEqual(auto[key], full[key], key)
        in_float = self.json_of("solve", *words, "--precision", "auto", "--scalar", "float")
        self.assertEqual((in_float["precision"], in_float["precision_reason"], in_float["scalar"]), ("full", "", "float"))
        line = strict_json(self.run_ok("bench", *words, "--precision", "auto"))
        self.assertEqual((line["precision"], line["precision_reason"], line["status"]), ("full", "full: on the CPU", "ok"))
