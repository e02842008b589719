# SPDX-License-Identifier: Apache-2.0
"""Who lives how long, interrupts, threads."""
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
from case import QUARTER_CAR, ROOT, Case

import jounce
from jounce._lib import lib


def system(**options):
    return jounce.load(QUARTER_CAR).system(interpreter=True, **options)


class Recorder:
    """Notes which functions of the library that make or destroy are called, in order."""

    def __init__(self, *names):
        self.calls, self.real = [], {n: getattr(lib, n) for n in names}

    def __enter__(self):
        for name, function in self.real.items():
            setattr(lib, name, self.wrap(name, function))
        return self

    def wrap(self, name, function):
        def called(*arguments):
            self.calls.append(name)
            return function(*arguments)
        return called

    def __exit__(self, *_):
        for name, function in self.real.items():
            setattr(lib, name, function)


class Lifetimes(Case):
    DESTROY = ("jo_model_destroy", "jo_system_destroy", "jo_result_destroy", "jo_sens_result_destroy",
               "jo_sweep_destroy", "jo_run_destroy", "jo_batch_destroy")

    def test_children_go_before_their_parents(self):
        with Recorder(*self.DESTROY) as seen:
            model = jounce.load(QUARTER_CAR)
            s = model.system(["k"], interpreter=True)
            g, w, r = s.gradient(), s.sweep({"k": (15000, 17000, 2)}), s.start()
            b = s.batch(["k"], method="rk4", step_s=2e-3)
            matrix = g.matrix
            del model, s, g
            gc.collect()
            self.assertEqual(seen.calls, [])
            self.assertTrue(np.isfinite(matrix).all())
            del matrix
            gc.collect()
            self.assertEqual(seen.calls, ["jo_sens_result_destroy"])
            del w, r, b
            gc.collect()
        self.assertEqual(seen.calls[-2:], ["jo_system_destroy", "jo_model_destroy"])
        self.assertEqual(sorted(seen.calls), sorted(n for n in self.DESTROY if n != "jo_result_destroy"))

    def test_closing_waits_for_who_still_looks(self):
        with Recorder(*self.DESTROY) as seen:
            model = jounce.load(QUARTER_CAR)
            s = model.system(interpreter=True)
            model.close()
            with s.run() as result:
                heave = result["heave"]
            s.close()
            gc.collect()
            self.assertEqual(seen.calls, ["jo_system_destroy", "jo_model_destroy"])
            self.assertEqual(len(heave[::50]), 4)
            del heave
            gc.collect()
            self.assertEqual(seen.calls[-1], "jo_result_destroy")

    def test_nothing_is_left(self):
        gc.collect()  # what earlier tests left in cycles would be counted here
        with Recorder("jo_context_create", "jo_context_destroy") as seen:
            s = system(wrt=["k", "c"])
            for _ in range(3):
                s.run()
                s.gradient()
                s.function("comfort")([15000.0, 1000.0])
                for wrong in (lambda: s.set(nothing=1), lambda: jounce.load("no.yaml"), lambda: s.run(max_events=1),
                              lambda: s.run(progress=lambda f: False), lambda: s.run(progress=lambda f: 1 / 0)):
                    with self.assertRaises((jounce.JounceError, ZeroDivisionError)):
                        wrong()
            del s
            gc.collect()
        self.assertEqual(seen.calls.count("jo_context_create"), seen.calls.count("jo_context_destroy"))

    def test_memory_does_not_grow(self):
        with open("/proc/self/statm", encoding="ascii") as file:
            def pages():
                file.seek(0)
                return int(file.read().split()[1])
            s = system()
            for n in (60, 300):
                for _ in range(n):
                    s.run(output_step_s=1e-3)["heave"].sum()
                if n == 60:
                    before = pages()
            # 300 results of 120 kB would be 9000 pages
            self.assertLess(pages() - before, 1000)


class Interrupts(Case):
    def setUp(self):
        super().setUp()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    # CPU time in runs of the system: what an action has used when it is interrupted, and what it may use until it ends.
    # The library looks for signals every tenth of a second, and the actions take at least ten times as long as that.
    BEGUN, MOST = 50, 2000

    @classmethod
    def setUpClass(cls):
        s, used = system(), []
        for _ in range(5):
            begin = time.process_time()
            s.run()
            used.append(time.process_time() - begin)
        cls.run_s = min(used)

    def interrupted(self, action, has_begun=lambda: True):
        begin, sent = time.process_time(), []

        def send():
            while time.process_time() - begin < self.BEGUN * self.run_s or not has_begun():
                time.sleep(0.001)
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)
        sender = threading.Thread(target=send)
        sender.start()
        with self.assertRaises(KeyboardInterrupt):
            action()
        end = time.process_time()
        sender.join()
        self.assertLess(end - sent[0], self.MOST * self.run_s)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_runs(self):
        s = system()
        before = s.run().table.copy()
        self.interrupted(lambda: s.run(t_end_s=1e6, output_step_s=1.0))
        self.assertTrue(np.array_equal(s.run().table, before))

    def test_gradients(self):
        s = jounce.load(QUARTER_CAR, {"simulation.end": 30000}).system(["k"], interpreter=True)
        self.interrupted(s.gradient)
        self.assertEqual(s["k"], 16000.0)
        # between setting the numbers and setting them back
        f = s.function("comfort")
        self.interrupted(lambda: f([15000.0]))
        self.assertEqual(s["k"], 16000.0)

    def test_sweeps(self):
        s = system()
        w = s.sweep({"k": (15000, 17000, 30000)}, start=False, workers=1)
        done = [0.0]

        def note(fraction):
            done.append(fraction)
            return True
        self.interrupted(lambda: w.run(note), lambda: done[-1] > 0)
        self.assertTrue(0 < w.info.done < 30000, w.info)
        self.interrupted(w.run)

    def test_batches(self):
        b = system().batch(["k"], method="rk4", step_s=1e-4, workers=1)
        self.interrupted(lambda: b.run(np.linspace(15000, 17000, 3000)[:, None]))
        self.assertTrue(b.run([[16000.0]]).done.all())

    def test_handlers_that_raise_nothing_stop_nothing(self):
        seen = []
        signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
        try:
            s = system()
            s.run(progress=lambda fraction: seen or os.kill(os.getpid(), signal.SIGINT))
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        self.assertEqual(seen, [signal.SIGINT])

    def test_exceptions_of_progress_come_through(self):
        def fail(fraction):
            raise LookupError(f"at {fraction}")
        s = system()
        for action in (s.run, system(wrt=["k"]).gradient):
            with self.assertRaisesRegex(LookupError, "^at "):
                action(progress=fail)
        with self.assertRaises(jounce.Stopped) as caught:
            s.run(progress=lambda fraction: fraction < 0.5)
        self.assertTrue(0.7 < caught.exception.result.statistics.t_reached < 1.0)

    def test_numbers_cannot_change_under_a_run(self):
        s = system()
        with self.assertRaisesRegex(RuntimeError, "cannot change"):
            s.run(progress=lambda fraction: s.set(k=1))


class Threads(Case):
    def test_a_system_is_shared(self):
        s, results = system(), []
        expected = s.run().table.copy()

        def work():
            for _ in range(10):
                results.append(np.array_equal(s.run().table, expected))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(results, [True] * 40)

    def test_setting_waits_for_runs(self):
        s, seen, values = system(), [], (15000.0, 17000.0)
        expected = set()
        for v in values:
            s.set(k=v)
            expected.add(float(s.run().objectives["comfort"]))

        def work():
            for _ in range(20):
                seen.append(float(s.run().objectives["comfort"]))
        threads = [threading.Thread(target=work) for _ in range(3)]
        for t in threads:
            t.start()
        while any(t.is_alive() for t in threads):
            for v in values:
                s.set(k=v)
                time.sleep(0.0005)
        self.assertEqual(len(seen), 60)
        self.assertLessEqual(set(seen), expected)

    def test_others_go_on_during_a_call(self):
        s, counts = system(), [0, 0]

        def count():
            while not done.is_set():
                counts[0] += 1
                time.sleep(0.001)
        done = threading.Event()
        other = threading.Thread(target=count)
        worker = threading.Thread(target=lambda: s.run(t_end_s=300.0))
        other.start()
        worker.start()
        while worker.is_alive():
            counts[1] += 1
            worker.join(0.001)
        done.set()
        other.join()
        # a call that held the interpreter would leave no turn to anybody
        self.assertGreater(min(counts), 10)

    def test_the_end_of_a_process_is_quiet(self):
        code = ("import jounce, threading, time\n"
                f"s = jounce.load('{QUARTER_CAR}').system(interpreter=True)\n"
                "r = s.run(); a = r['heave']\n"
                "threading.Thread(target=lambda: s.run(t_end_s=1e6, output_step_s=1), daemon=True).start()\n"
                "time.sleep(0.1)\n")
        done = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertNotIn("Error", done.stderr)


if __name__ == "__main__":
    unittest.main()
