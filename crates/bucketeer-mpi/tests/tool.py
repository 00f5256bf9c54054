"""The tool over MPI, as its users meet it: arguments in; stdout, stderr and exit code out."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import mpirun


class Tool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        mpirun.alone("generate", "--curve", "bn254", "-n", 5000, "--seed", 3, "--bases", "bases",
                     "--scalars", "scalars", cwd=cls.folder)
        files = ["--curve", "bn254", "--bases", "bases", "--scalars", "scalars"]
        cls.files = ["msm", "--mpi", "--threads", 1, *files]
        own = mpirun.alone("msm", *files, "--json", cwd=cls.folder)
        cls.expected = json.loads(own)["result"]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def fails(self, code, ranks, *arguments, words):
        found, out, err = mpirun.run(ranks, *arguments, cwd=self.folder)
        self.assertEqual((found, out), (code, ""), err)
        # Of the tool's own lines there is one, of rank 0.
        self.assertEqual(sum(line.startswith("error: ") for line in err.splitlines()), 1, err)
        for word in words:
            self.assertIn(word, err)

    def test_files_are_shared_by_any_number_of_ranks(self):
        for ranks in [1, 3, 5]:
            answer = mpirun.answer(ranks, *self.files, cwd=self.folder)
            self.assertEqual(answer["result"], self.expected)
            self.assertEqual((answer["ranks"], answer["checked"]), (ranks, True))
            self.assertEqual(answer["streamed"]["chunks"], ranks)

    def test_random_input_and_batches(self):
        for more in [[], ["--batch", 3]]:
            line = ["--curve", "ed-on-bls12-377", "-n", 999, *more]
            alone = json.loads(mpirun.alone("msm", *line, "--json"))
            answer = mpirun.answer(3, "msm", "--mpi", "--threads", 1, *line)
            name = "results" if more else "result"
            self.assertEqual(answer[name], alone[name])

    def test_only_rank_0_prints(self):
        code, out, err = mpirun.run(3, *self.files, cwd=self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.count("checked: ok"), 1, out)

    def test_a_memory_limit_is_each_rank_s(self):
        answer = mpirun.answer(3, *self.files, "--memory-limit", "1MiB", cwd=self.folder)
        self.assertEqual(answer["result"], self.expected)
        self.assertLessEqual(answer["plan_bytes"], 1 << 20)

    def test_memory_stays_within_the_limit_of_each_rank(self):
        n, limit = 1 << 19, 16 << 20
        mpirun.alone("generate", "--curve", "bn254", "-n", n, "--seed", 3, "--bases", "long",
                     "--scalars", "long-scalars", cwd=self.folder)
        options = ["--memory-limit", limit, "--threads", 1, "--no-check"]
        files = ["--curve", "bn254", "--bases", "long", "--scalars", "long-scalars"]
        # What the program itself takes, with MPI and hardly any bases.
        few = mpirun.peaks(2, "msm", "--mpi", *files, "-n", 10, *options, cwd=self.folder)
        all_bases = mpirun.peaks(2, "msm", "--mpi", *files, *options, cwd=self.folder)
        # In memory a rank's share of bases and scalars would take more.
        self.assertGreater(n // 2 * (64 + 32), limit)
        self.assertLessEqual(max(all_bases) - min(few), limit)

    def test_exit_codes_are_those_of_one_process(self):
        line = ["msm", "--mpi", "--curve", "bn254", "-n", 100]
        self.fails(2, 3, *line, "--window-bits", 99, words=["window bits"])
        self.fails(2, 3, *line, "--nonsense", words=["--nonsense"])
        self.fails(3, 3, *line, "--device", "cuda", words=["rank 0", "cuda"])
        self.fails(4, 3, *line, "--memory-limit", 10, words=["out of memory"])
        missing = ["--bases", "none", "--scalars", "scalars"]
        self.fails(2, 3, "msm", "--mpi", "--curve", "bn254", *missing, words=["none"])
        self.fails(2, 3, "msm", "--mpi", "--table", "bases", words=["--table"])

    def test_a_wrong_result_is_one_of_all_ranks(self):
        # Points of the curve outside the subgroup, which the option vouches for.
        p = int("1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffe"
                "b153ffffb9feffffffffaaab", 16)
        roots = [(x, pow(x**3 + 4, (p + 1) // 4, p)) for x in range(1, 400)]
        points = [(x, y) for x, y in roots if (y * y - x**3 - 4) % p == 0][:100]
        packed = b"".join(z.to_bytes(48, "big") for point in points for z in point)
        (self.folder / "outside").write_bytes((100).to_bytes(8, "little") + packed)
        mpirun.alone("generate", "--curve", "bls12-381", "-n", 100, "--bases", "inside",
                     "--scalars", "outside-scalars", cwd=self.folder)
        line = ["msm", "--mpi", "--curve", "bls12-381", "--bases", "outside", "--scalars",
                "outside-scalars", "--threads", 1]
        self.fails(1, 3, *line, "--no-subgroup-check", "--verify",
                   words=["rank 0: verification failed"])
        self.assertTrue(mpirun.answer(3, *line, "--any-point", cwd=self.folder)["checked"])

    def test_help_is_no_failure(self):
        code, out, err = mpirun.run(3, "msm", "--mpi", "--help")
        self.assertEqual((code, err, out.count("Usage:")), (0, "", 1))

    def test_a_variable_of_another_launcher_silences_nobody(self):
        line = [mpirun.TOOL, "msm", "--mpi", "--curve", "bn254", "-n", "100", "--threads", "1"]
        done = subprocess.run(line, env=mpirun.ENVIRONMENT | {"PMI_RANK": "1"}, text=True,
                              capture_output=True, timeout=mpirun.SECONDS)
        self.assertEqual((done.returncode, done.stdout.count("checked: ok")), (0, 1), done)

    def test_a_damaged_file_is_named_once(self):
        damaged = bytearray((self.folder / "bases").read_bytes())
        # A length of eight bytes, then the points.
        index = (len(damaged) - 40 - 8) // ((len(damaged) - 8) // 5000)
        damaged[-40] ^= 1
        (self.folder / "damaged").write_bytes(damaged)
        line = ["msm", "--mpi", "--curve", "bn254", "--bases", "damaged", "--scalars", "scalars"]
        self.fails(2, 3, *line, words=["rank 2: damaged", f"base {index}"])

    def test_a_checkpoint_goes_on_with_other_ranks(self):
        line = [*self.files, "--chunk", 500, "--checkpoint", "sums", "--no-check"]
        self.assertEqual(mpirun.answer(3, *line, cwd=self.folder)["streamed"]["kept"], 0)
        for path in list((self.folder / "sums").glob("*.sum"))[:4]:
            path.unlink()
        answer = mpirun.answer(5, *line, cwd=self.folder)
        self.assertEqual((answer["streamed"]["kept"], answer["result"]), (6, self.expected))

    def test_the_table_over_ranks(self):
        for ranks in [3, 5] if os.environ.get("BUCKETEER_TESTS") == "all" else [3]:
            line = ["selftest", "--mpi", "--quick", "--curve", "bandersnatch", "--threads", 1]
            code, out, err = mpirun.run(ranks, *line)
            self.assertEqual((code, err), (0, ""), out)
            self.assertRegex(out, r"[1-9][0-9]{2,} passed, 0 failed\n$")

    def test_scaling_is_measured(self):
        line = ["bench", "--mpi", "--curve", "bn254", "-n", 1000, "--repeat", 2, "--threads", 1]
        report = mpirun.answer(3, *line, "--plot", self.folder / "plot.svg")
        rows = [(row["scaling"], row["ranks"], row["n"]) for row in report["results"]]
        strong = [("strong", ranks, 1000) for ranks in [1, 2, 3]]
        weak = [("weak", ranks, 1000 * ranks) for ranks in [1, 2, 3]]
        self.assertEqual(rows, [("alone", 1, 1000), *strong, *weak])
        for row in report["results"]:
            self.assertEqual(len(row["samples"]), 2)
        self.assertIn("ranks", (self.folder / "plot.svg").read_text())


if __name__ == "__main__":
    unittest.main()
