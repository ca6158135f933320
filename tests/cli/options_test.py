# --set and the flags of named options: every option reaches the program, one parser, the last one counts.
# SPDX-License-Identifier: BSD-3-Clause
import pathlib

from program import ProgramTest, kauri, strict_json

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYSTEM = ["--gen", "poisson2d 9"]
LINES = (ROOT / "tests" / "support" / "option_values.txt").read_text(encoding="utf-8").splitlines()
VALUES = dict(line.split() for line in LINES if not line.startswith("#"))
VALUES["card"] = str(ROOT / VALUES["card"])  # commands read the file


def listed(*words):
    """What kauri options says, by name."""
    return {option["name"]: option for option in strict_json(kauri("options", "--json", *words).stdout)["options"]}


class OptionsTest(ProgramTest):
    def test_each_is_set_alone(self):
        defaults = {name: option["default"] for name, option in listed().items()}
        self.assertEqual(set(defaults), set(VALUES))
        for name, value in VALUES.items():
            self.assertNotEqual(value, defaults[name])
            options = listed("--set", f"{name}={value}")
            self.assertEqual({name: option["value"] for name, option in options.items()}, defaults | {name: value})
            if flag := options[name]["flag"]:
                words = [flag] if flag == "--fundamental" else [flag, value]
                self.assertEqual({name: option["value"] for name, option in listed(*words).items()}, defaults | {name: value}, flag)

    def test_commands_take_each(self):
        for command in ["analyze", "solve", "bench", "compare"]:
            words = [word for name, value in VALUES.items() for word in ["--set", f"{name}={value}"]]
            self.assertEqual(self.json_of(command, *SYSTEM, *words)["options"], VALUES, command)

    def test_they_have_an_effect(self):
        solved = lambda *words: self.json_of("solve", *SYSTEM, *words)
        self.assertEqual(solved("--set", "refine.max_steps=0")["refine_steps"], 0)
        self.assertEqual(solved("--set", "ordering.method=rcm")["ordering"], "rcm")
        self.assertEqual(solved("--set", "precision=mixed")["precision"], "mixed")
        supernodes = lambda *words: self.json_of("analyze", *SYSTEM, *words)["supernodes"]
        self.assertEqual(supernodes("--set", "analyze.amalgamate=false"), supernodes("--fundamental"))
        self.assertGreater(supernodes("--fundamental"), supernodes())
        self.assertEqual([row["ordering"] for row in self.json_of("compare", *SYSTEM, "--set", "ordering.method=md")["orderings"]], ["md"])
        singular = self.write("zero.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 0\n")
        self.assertEqual(kauri("solve", singular, "--set", "mixed.allow_double=false", "--set", "precision=mixed").returncode, 2)

    def test_the_last_one_counts(self):
        effort = lambda *words: listed(*words)["ordering.effort"]["value"]
        self.assertEqual(effort("--effort", "best", "--set", "ordering.effort=fast"), "fast")
        self.assertEqual(effort("--set", "ordering.effort=fast", "--effort", "best"), "best")
        self.assertEqual(effort("--effort", "fast", "--effort", "best"), "best")
        file = self.write("p.txt", "".join(f"{k}\n" for k in range(81)))
        self.assertEqual(self.json_of("solve", *SYSTEM, "--ordering", file, "--set", "ordering.method=amd")["ordering"], "amd")
        self.assertEqual(self.json_of("solve", *SYSTEM, "--set", "ordering.method=amd", "--ordering", file)["ordering"], "given")

    def test_refusals(self):
        for command in ["solve", "analyze", "compare", "bench", "spy", "tree", "options"]:
            see = f"(see kauri {command} --help)"
            refused = lambda text, says: self.fails(1, command, "--set", text, says=["--set: " + says, see])
            refused("refine.maxsteps=1", "option 'refine.maxsteps' is unknown; did you mean refine.max_steps?")
            refused("ordering.effort=bestt", "option ordering.effort: 'bestt' was given, expected fast, standard or best; did you mean best?")
            refused("threads", "'threads' was given, expected NAME=VALUE")
            refused("threads=", "option threads: '' was given")
        says = ["'amdd' was given, expected natural, rcm", "or a file with a permutation; did you mean amd?"]
        self.fails(1, "solve", *SYSTEM, "--ordering", "amdd", says=says)
        says = "--effort: option ordering.effort: 'bestt' was given, expected fast, standard or best"
        self.fails(1, "solve", *SYSTEM, "--effort", "bestt", says=[says])

    def test_help_and_manual_list_all(self):
        text, page = self.run_ok("options"), self.run_ok("--manual").replace("\\-", "-")
        for name, option in listed().items():
            self.assertIn(f"{name}={option['default']}", text)
            self.assertIn(option["help"], text)
            self.assertIn(f".B {name}", page)
        self.assertIn("--set NAME=VALUE", self.run_ok("solve", "--help"))
