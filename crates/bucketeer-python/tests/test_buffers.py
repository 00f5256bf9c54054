"""Memory of all kinds: aligned or not, strided, read-only, of all item types."""

import array
import mmap
import unittest

import bucketeer
import numpy as np
from helpers import BN254, multiples, pack_points, pack_scalars, random_scalars, xy

N = 33
POINTS = pack_points(BN254, multiples(BN254, N))
SCALARS = random_scalars(BN254, N, "buffers")
PACKED = pack_scalars(BN254, SCALARS)


def expected(scalars):
    factor = sum(int(k) * (i + 1) for i, k in enumerate(scalars))
    return BN254.mul(factor % BN254.order, BN254.generator)


class PointBuffersTest(unittest.TestCase):
    def same(self, points, **options):
        bases = bucketeer.Bases("bn254", points, **options)
        self.assertEqual(len(bases), N)
        self.assertEqual(xy(bases.msm(PACKED)), expected(SCALARS))
        self.assertEqual(xy(bucketeer.msm("bn254", points, PACKED, **options)), expected(SCALARS))

    def test_kinds_of_memory(self):
        flat = np.frombuffer(POINTS, dtype=np.uint8)
        self.assertFalse(flat.flags.writeable)
        mapped = mmap.mmap(-1, len(POINTS))
        mapped.write(POINTS)
        for points in [
            POINTS,
            bytearray(POINTS),
            memoryview(POINTS),
            memoryview(POINTS).cast("Q"),
            memoryview(POINTS).cast("B", (N, 64)),
            array.array("Q", POINTS),
            mapped,
            flat,
            flat.reshape(N, 64),
            flat.reshape(N, 2, 32),
            flat.view("<u8"),
            flat.view("<u8").reshape(N, 8),
            flat.view("<u4").reshape(N, 2, 8),
            flat.view("V64"),
            flat.view("S64"),
            flat.view(np.dtype([("x", "S32"), ("y", "S32")])),
        ]:
            with self.subTest(type=type(points), shape=getattr(points, "shape", None)):
                self.same(points)

    def test_misaligned(self):
        for offset in range(1, 9):
            memory = bytes(offset) + POINTS
            self.same(memoryview(memory)[offset:])
            self.same(np.frombuffer(memory, np.uint8)[offset:].reshape(N, 64))

    def test_strided(self):
        padded = np.full((N, 72), 0xEE, dtype=np.uint8)
        padded[:, :64] = np.frombuffer(POINTS, np.uint8).reshape(N, 64)
        self.same(padded[:, :64])
        shifted = np.full((N, 71), 0xEE, dtype=np.uint8)
        shifted[:, 3:67] = padded[:, :64]
        self.same(shifted[:, 3:67])
        twice = np.frombuffer(POINTS + POINTS, np.uint8).reshape(2, N, 64)
        self.same(np.ascontiguousarray(twice.swapaxes(0, 1))[:, 0])
        item = np.dtype([("x", "S32"), ("y", "S32")])
        self.same(np.frombuffer(padded.tobytes(), dtype=np.dtype({
            "names": ["p"], "formats": [item], "itemsize": 72,
        }))["p"])

    def test_big_endian_words_are_bytes_in_their_form(self):
        points = pack_points(BN254, multiples(BN254, N), "big-endian")
        self.same(np.frombuffer(points, ">u8").reshape(N, 8), form="big-endian")

    def test_refused(self):
        rows = np.frombuffer(POINTS, np.uint8).reshape(N, 64)
        for points, message in [
            (rows[::-1], "reverse"),
            (np.broadcast_to(rows[0], (N, 64)), "overlap"),
            (np.asfortranarray(rows), "first axis"),
            (rows[:, ::2], "first axis"),
            (rows.reshape(N, 2, 32)[:, ::-1], "first axis"),
            (rows[:, :63], "a row has 63 bytes, and a point has 64"),
            (rows[:1, :32], "a row has 32 bytes"),
            (POINTS[:-1], "2111 bytes"),
            (rows.reshape(-1)[::2], "a row has 1 bytes"),
            (np.uint8(5), "an array is needed"),
        ]:
            with self.subTest(message):
                with self.assertRaisesRegex(bucketeer.InvalidInput, message):
                    bucketeer.Bases("bn254", points)
        for points in [rows.astype(float), rows.astype(complex), rows.astype("M8[s]"), "points", 7]:
            with self.subTest(type=type(points)), self.assertRaises((TypeError, ValueError)):
                bucketeer.Bases("bn254", points)


class ScalarBuffersTest(unittest.TestCase):
    def setUp(self):
        self.bases = bucketeer.Bases("bn254", POINTS)

    def same(self, scalars, values, **options):
        self.assertEqual(xy(self.bases.msm(scalars, **options)), expected(values))
        (own,) = self.bases.msm_batch([scalars], **options)
        self.assertEqual(xy(own), expected(values))
        self.assertEqual(xy(self.bases.submit(scalars, **options).wait()), expected(values))

    def test_residues(self):
        flat = np.frombuffer(PACKED, dtype=np.uint8)
        for scalars in [
            PACKED,
            bytearray(PACKED),
            memoryview(PACKED),
            flat.reshape(N, 32),
            flat.view("<u8").reshape(N, 4),
            flat.view("V32"),
            SCALARS,
            tuple(SCALARS),
            iter(SCALARS),
            np.array(SCALARS, dtype=object),
        ]:
            with self.subTest(type=type(scalars), shape=getattr(scalars, "shape", None)):
                self.assertEqual(xy(self.bases.msm(scalars)), expected(SCALARS))
        self.same(flat, SCALARS, form="little-endian")
        self.same(flat.view("<u8"), SCALARS, form="little-endian")

    def test_items_are_integers(self):
        source = np.random.default_rng(7)
        for kind in ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "?"]:
            limits = None if kind == "?" else np.iinfo(kind)
            low, high = (0, 1) if limits is None else (limits.min, limits.max)
            values = source.integers(low, high, N, dtype=kind, endpoint=True)
            values[0], values[1] = low, high
            with self.subTest(kind):
                self.same(values, values)
                spaced = np.repeat(values, 3)[::3]
                self.assertFalse(spaced.flags.c_contiguous)
                self.same(spaced, values)
                self.same(np.frombuffer(b"." + values.tobytes(), np.uint8)[1:].view(kind), values)
        self.same(array.array("i", range(-16, 17)), range(-16, 17))
        self.same([np.int64(-5)] * N, [-5] * N)
        self.same([True] * N, [1] * N)

    def test_misaligned(self):
        montgomery = pack_scalars(BN254, SCALARS, "montgomery")
        for offset in range(1, 9):
            memory = memoryview(bytes(offset) + PACKED)[offset:]
            self.assertEqual(xy(self.bases.msm(memory)), expected(SCALARS))
            memory = memoryview(bytes(offset) + montgomery)[offset:]
            self.assertEqual(xy(self.bases.msm(memory, form="montgomery")), expected(SCALARS))

    def test_strided(self):
        padded = np.full((N, 40), 0xEE, dtype=np.uint8)
        padded[:, 5:37] = np.frombuffer(PACKED, np.uint8).reshape(N, 32)
        self.same(padded[:, 5:37], SCALARS)
        montgomery = pack_scalars(BN254, SCALARS, "montgomery")
        padded[:, :32] = np.frombuffer(montgomery, np.uint8).reshape(N, 32)
        self.same(padded[:, :32], SCALARS, form="montgomery")

    def test_refused(self):
        flat = np.frombuffer(PACKED, np.uint8)
        above = bytearray(PACKED)
        above[32 * 4 : 32 * 5] = BN254.order.to_bytes(32, "little")
        for scalars, form, message in [
            (PACKED[:-1], None, "1055 bytes"),
            (flat.reshape(N, 32)[:, :31], None, "a row has 31 bytes, and a scalar has 32"),
            (flat[::-1], None, "reverse"),
            (flat.view(">u8"), None, "highest byte first"),
            (flat.view(">u8").reshape(N, 4), None, "highest byte first"),
            (above, None, "scalar 4 is not below the group order"),
            (above, "montgomery", "scalar 4 is not below the group order"),
            (SCALARS, "montgomery", "form is for bytes"),
            ([1] * (N + 1), None, "34 scalars"),
            (flat, None, "1056 scalars"),
            ([1, 2**1024], None, "scalar 1 has more than 1024 bits"),
            ([-(2**1023) - 1], None, "scalar 0 has more than 1024 bits"),
            (PACKED, "hexadecimal", "form: expected one of"),
        ]:
            with self.subTest(message):
                with self.assertRaisesRegex(bucketeer.InvalidInput, message):
                    self.bases.msm(scalars, form=form)
        self.same([2**1023] + [0] * (N - 1), [2**1023])
        self.same([2**1024 - 1], [2**1024 - 1])
        self.same([-(2**1023) + 1], [-(2**1023) + 1])
        for scalars, message in [
            ([1, 2.0], "scalar 1 is not an integer"),
            ("12", "scalar 0 is not an integer"),
            (7, "expected an array"),
            (flat.astype(np.float32), "not integers"),
            (None, "expected an array"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                self.bases.msm(scalars)

    def test_memory_is_held_during_a_call_only(self):
        memory = bytearray(PACKED)
        job = self.bases.submit(memory)
        memory.clear()  # A BufferError if the job still held it.
        self.assertEqual(xy(job.wait()), expected(SCALARS))
        memory = bytearray(POINTS)
        bases = bucketeer.Bases("bn254", memory)
        memory.clear()
        self.assertEqual(xy(bases.msm(PACKED)), expected(SCALARS))


if __name__ == "__main__":
    unittest.main()
