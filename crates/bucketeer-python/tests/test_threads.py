"""Threads, jobs, garbage and forks."""

import contextlib
import gc
import os
import pathlib
import resource
import signal
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import bucketeer
import numpy as np
from helpers import BN254, load, msm, multiples, pack_points, random_scalars, xy
from parameters import CURVES

G = BN254.generator
# Enough for a run of a good part of a second, also where the library is not optimised.
MANY = 1 << 15


def many_bases(**options):
    """2^15 bases G, 2·G, … 64·G, G, …"""
    rows = np.frombuffer(pack_points(BN254, multiples(BN254, 64)), np.uint8).reshape(64, 64)
    return load("bn254", np.tile(rows, (MANY // 64, 1)), check="none", **options)


def many_scalars(seed):
    words = np.random.default_rng(seed).integers(0, 2**64, (MANY, 4), dtype=np.uint64)
    words[:, 3] >>= 3  # Below the order.
    return words


def expected(words):
    weights = np.arange(MANY, dtype=object) % 64 + 1
    integers = sum(words[:, i].astype(object) << (64 * i) for i in range(4))
    return BN254.mul(int((integers * weights).sum()) % BN254.order, G)


class ThreadsTest(unittest.TestCase):
    def test_eight_threads_at_once(self):
        shared = load("bn254", multiples(BN254, 100))
        start = threading.Barrier(8)

        def work(index):
            start.wait(timeout=60)
            name = ["bn254-g1", "pallas", "bls12-381-g1", "bandersnatch"][index % 4]
            curve = CURVES[name]
            for turn in range(6):
                scalars = random_scalars(BN254, 100, (index + 1) * 100 + turn)
                factor = sum(k * (i + 1) for i, k in enumerate(scalars)) % BN254.order
                self.assertEqual(xy(shared.msm(scalars)), BN254.mul(factor, G))
                own = msm(name, [curve.generator] * 3, [turn, index, 5])
                self.assertEqual(xy(own), curve.mul(turn + index + 5, curve.generator))
                job = shared.submit(scalars)
                with contextlib.suppress(bucketeer.InvalidInput):
                    shared.msm([1] * 101)
                    self.fail("101 scalars for 100 bases")
                self.assertEqual(xy(job.wait()), BN254.mul(factor, G))
            return index

        with ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(work, range(8))), list(range(8)))

    def test_the_gil_is_released(self):
        """Another thread runs Python code while this one waits inside a call."""
        bases, scalars = many_bases(), many_scalars(1)
        calls = {
            "load": lambda: many_bases(precompute=2),
            "msm": lambda: bases.msm(scalars),
            "batch": lambda: bases.msm_batch([scalars, scalars]),
            "wait": lambda: bases.submit(scalars).wait(),
        }

        def tick(ticks, stop):
            while not stop.wait(0.001):
                ticks.append(time.perf_counter())

        for name, call in calls.items():
            ticks, stop = [], threading.Event()
            thread = threading.Thread(target=tick, args=(ticks, stop))
            thread.start()
            began = time.perf_counter()
            call()
            ended = time.perf_counter()
            stop.set()
            thread.join()
            within = [tick for tick in ticks if began < tick < ended]
            with self.subTest(name, seconds=ended - began):
                # With the GIL held the other thread would not have run between the two readings.
                self.assertGreater(len(within), 3)


class JobsTest(unittest.TestCase):
    def test_result(self):
        bases, scalars = many_bases(), many_scalars(2)
        job = bases.submit(scalars)
        self.assertIn(repr(job), ["<Job on bn254-g1: running>", "<Job on bn254-g1: ended>"])
        first = job.wait()
        self.assertEqual(xy(first), expected(scalars))
        self.assertTrue(job.done())
        self.assertEqual(job.wait(timeout=0), first)
        job.cancel()
        self.assertEqual(job.wait(), first)
        self.assertGreater(sum(first.timings.values()), 0)

    def test_cancel(self):
        bases, scalars = many_bases(), many_scalars(3)
        job = bases.submit(scalars)
        job.cancel()
        for _ in range(2):
            with self.assertRaises(bucketeer.Cancelled):
                job.wait()
        self.assertTrue(job.done())
        with bases.submit(scalars) as job:
            pass
        with self.assertRaises(bucketeer.Cancelled):
            job.wait()
        with bases.submit(scalars) as job:
            self.assertEqual(xy(job.wait()), expected(scalars))

    def test_cancel_while_another_thread_waits(self):
        bases, scalars = many_bases(), many_scalars(4)
        jobs = [bases.submit(scalars) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            waiting = [pool.submit(job.wait) for job in jobs]
            for job in jobs:
                job.cancel()
            for one in waiting:
                self.assertIsInstance(one.exception(timeout=60), bucketeer.Cancelled)

    def test_several_threads_wait_for_one_job(self):
        bases, scalars = many_bases(), many_scalars(5)
        job = bases.submit(scalars)
        with ThreadPoolExecutor(4) as pool:
            sums = [one.result() for one in [pool.submit(job.wait) for _ in range(4)]]
        self.assertEqual({xy(one) for one in sums}, {expected(scalars)})

    def test_timeouts(self):
        bases = many_bases()
        jobs = [bases.submit(many_scalars(6)) for _ in range(3)]
        with self.assertRaises(TimeoutError):
            jobs[-1].wait(timeout=0)
        with self.assertRaises(TimeoutError):
            jobs[-1].wait(timeout=0.001)
        for timeout in [-1, float("nan"), float("inf")]:
            with self.assertRaisesRegex(bucketeer.InvalidInput, "timeout"):
                jobs[-1].wait(timeout=timeout)
        for job in jobs:
            job.cancel()

    def test_signals_interrupt_a_wait(self):
        bases = many_bases()
        jobs = [bases.submit(many_scalars(7)) for _ in range(8)]
        # A process that was started in the background may ignore the signal.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        timer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            for job in jobs:
                job.wait()
            time.sleep(1)  # Where the jobs were quicker than the signal.
        for job in jobs:
            job.cancel()


class GarbageTest(unittest.TestCase):
    def test_handles_are_dropped_while_a_job_runs(self):
        scalars = many_scalars(8)
        for _ in range(3):
            bases = many_bases()
            job = bases.submit(scalars)
            del bases
            gc.collect()
            self.assertEqual(xy(job.wait()), expected(scalars))
        bases = many_bases()
        for _ in range(5):
            bases.submit(scalars)  # Dropped at once: cancelled.
        gc.collect()
        self.assertEqual(xy(bases.msm(scalars)), expected(scalars))

    def test_memory_is_flat(self):
        points = pack_points(BN254, multiples(BN254, 64)) * 64
        scalars = (b"\x07" + bytes(31)) * 4096

        def work():
            bases = load("bn254", points, check="none")
            bases.msm(scalars)
            bases.msm_batch([scalars[:3200], scalars[:320]])
            bases.submit(scalars[:3200]).wait()
            bases.submit(scalars).cancel()
            with contextlib.suppress(bucketeer.Error):
                bases.msm(b"\xff" * 32)

        def kilobytes():
            gc.collect()
            pages = pathlib.Path("/proc/self/statm").read_text().split()[1]
            return int(pages) * resource.getpagesize() >> 10

        for _ in range(20):
            work()
        before = kilobytes()
        for _ in range(200):
            work()
        # 200 loads of 256 KiB of points and as much of scalars are 100 MB.
        self.assertLess(kilobytes() - before, 10_000)


class ForkTest(unittest.TestCase):
    def test_a_forked_process_gets_an_error(self):
        """It has none of the library's threads: an MSM would wait for them for ever."""
        msm("bn254", [G], [1])
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                try:
                    msm("bn254", [G], [1])
                except bucketeer.Error as error:
                    status = 0 if "spawn" in str(error) else 2
            os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
