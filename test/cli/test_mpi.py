#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jounce sweep under mpirun: one, two and three processes write the bytes of threads, also when one was killed."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.path.abspath(sys.argv.pop(1))
CAR = "test/models/sweep_quarter_car.yaml"
MODULE = Path(PROGRAM).with_name("jounce_mpi.so")
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]
CALLS = 1000  # what takes longer than so many calls of one process hangs
POINTS = [CAR, "--interpreter", "--param", "k=8000:24000:12", "--param", "rod=-0.2:1:12", "--statistics"]


@unittest.skipUnless(MODULE.exists() and shutil.which("mpirun"), "built without MPI, or no mpirun")
class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        begin = time.monotonic()
        subprocess.run([PROGRAM, "sweep", *cls.LONG, "--workers", "1", "--json"], stdout=subprocess.DEVNULL, check=True)
        cls.never_s = CALLS*(time.monotonic() - begin)

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.below = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_with(self, processes, *args, code=0):
        start = [] if processes is None else [*MPIRUN, str(processes)]
        done = subprocess.run([*start, PROGRAM, "sweep", *args], capture_output=True, text=True, check=False,
                              timeout=self.never_s)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_processes_are_threads(self):
        for ending, more in ((".csv", []), (".h5", ["--stream"]), (".csv", ["--batch"])):
            whole = self.below / f"threads{ending}"
            self.run_with(None, *POINTS, *more, "--workers", "2", "-o", str(whole))
            for n in (1, 2, 3):
                out = self.below / f"{n}{ending}"
                done = self.run_with(n, *POINTS, *more, "-o", str(out))
                self.assertEqual(out.read_bytes(), whole.read_bytes())
                self.assertEqual(done.stdout.count("rows written"), 1)
                # what all of them see is told once
                self.assertEqual(done.stderr.count("points failed"), 1, done.stderr)
                if n > 1:
                    self.assertIn(f"in {n} processes", done.stdout)

    def test_shares_are_all_of_the_points(self):
        """Every point was computed by one process, and somebody was the last."""
        done = json.loads(self.run_with(3, *POINTS, "--json", "--quiet").stdout)
        shares = done["shares"]
        self.assertEqual((len(shares), sum(s["points"] for s in shares)), (3, 144))
        self.assertTrue(all(0 <= s["waited_s"] < done["wall_s"] for s in shares), shares)
        self.assertNotIn("shares", json.loads(self.run_with(None, *POINTS, "--json", "--quiet").stdout))

    LONG = [CAR, "--interpreter", "--param", "k=8000:24000:40", "--param", "rod=-0.2:1:12", "--statistics"]

    def killed(self, rank, out):
        """Start, kill one of the processes on the way, and wait for the end of all."""
        journal = Path(str(out) + ".journal")
        before = journal.stat().st_size if journal.exists() else 0
        script = f'echo $$ > "{self.below}/pid.$OMPI_COMM_WORLD_RANK"; exec "$@"'
        for old in self.below.glob("pid.*"):
            old.unlink()
        job = subprocess.Popen([*MPIRUN, "3", "sh", "-c", script, "sh", PROGRAM, "sweep", *self.LONG, "-o", str(out)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while job.poll() is None and not (journal.exists() and journal.stat().st_size > before + 2000):
            time.sleep(0.001)
        if job.poll() is None:
            os.kill(int((self.below / f"pid.{rank}").read_text()), signal.SIGKILL)
        return job.wait(self.never_s)

    def test_killed_process(self):
        whole, out = self.below / "whole.csv", self.below / "out.csv"
        self.run_with(None, *self.LONG, "-o", str(whole))
        killed = 0
        for rank in (1, 2, 0):
            code = self.killed(rank, out)
            if out.exists():
                break  # it was faster than we were
            killed += 1
            self.assertNotEqual(code, 0)
            self.assertTrue(Path(str(out) + ".journal").exists())
        self.assertGreater(killed, 0)
        if not out.exists():
            done = self.run_with(2, *self.LONG, "-o", str(out))
            self.assertIn("are done", done.stderr)
        self.assertEqual(out.read_bytes(), whole.read_bytes())
        self.assertFalse(Path(str(out) + ".journal").exists())

    def test_stopped_team_goes_on(self):
        """mpirun passes a signal on to all: no process is lost by it, the first one tells the others to end."""
        whole, out, journal = self.below / "whole.csv", self.below / "out.csv", self.below / "out.csv.journal"
        self.run_with(None, *self.LONG, "-o", str(whole))
        job = subprocess.Popen([*MPIRUN, "3", PROGRAM, "sweep", *self.LONG, "-o", str(out)], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        while job.poll() is None and not (journal.exists() and journal.stat().st_size > 2000):
            time.sleep(0.001)
        job.send_signal(signal.SIGTERM)
        told = job.communicate(timeout=self.never_s)[1]
        if not out.exists():  # it may have been faster than we were
            self.assertNotEqual(job.returncode, 0)
            self.assertEqual(told.count("stopping when the points under way are done"), 1, told)
            self.assertNotIn("on signal 15", told)  # what mpirun says of a process that was killed
            self.run_with(2, *self.LONG, "-o", str(out))
        self.assertEqual(out.read_bytes(), whole.read_bytes())

    def test_mistakes_are_told_once(self):
        done = self.run_with(3, CAR, "--param", "stepp=1:2:2", code=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("did you mean 'step'"), 1, done.stderr)
        done = self.run_with(2, "no_such_file.yaml", "--param", "k=1:2:2", code=None)
        self.assertEqual(done.stderr.count("no_such_file.yaml"), 1, done.stderr)

    def test_wrong_use_is_told_once(self):
        """By the first process, while all end in the code of wrong use, which a shell around each writes down."""
        script = f'"$@"; echo $? > "{self.below}/code.$OMPI_COMM_WORLD_RANK"; exit 0'
        for args, told in (([CAR, "--no-such-option"], "--no-such-option"), ([CAR], "no parameter to vary"),
                           ([CAR, "--param", "k=1"], "--param needs"), ([], "missing argument"),
                           ([CAR, "--param", "k=1:2:2", "-o", "x.txt"], "ends in")):
            done = subprocess.run([*MPIRUN, "3", "sh", "-c", script, "sh", PROGRAM, "sweep", *args], capture_output=True,
                                  text=True, check=False, timeout=self.never_s)
            self.assertEqual(done.stderr.count("jounce sweep:"), 1, done.stderr)
            self.assertIn(told, done.stderr)
            self.assertEqual([(self.below / f"code.{i}").read_text().strip() for i in range(3)], ["2"] * 3)
        self.assertNotEqual(self.run_with(3, CAR, code=None).returncode, 0)
        self.assertEqual(self.run_with(3, "--help").stdout.count("usage: "), 1)

    def test_processes_without_mpi(self):
        # a program that does not find the module says so, unless it is one process
        copy = self.below / "jounce"
        data = Path(PROGRAM).read_bytes()
        hidden = data.replace(str(MODULE).encode(), str(MODULE).encode()[:-3] + b".no")
        self.assertNotEqual(data, hidden)
        copy.write_bytes(hidden)
        copy.chmod(0o755)
        for size, code in (("3", 1), ("1", 0)):
            done = subprocess.run([copy, "sweep", CAR, "--interpreter", "--param", "k=1000:2000:2"], capture_output=True,
                                  text=True, check=False, env=dict(os.environ, OMPI_COMM_WORLD_SIZE=size))
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("which this program was built without" in done.stderr, code == 1)


if __name__ == "__main__":
    unittest.main()
