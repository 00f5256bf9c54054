"""Curves, devices, plans, points and errors."""

import unittest

import bucketeer
from helpers import BN254, multiples, pack_point, pack_points, xy
from parameters import CURVES

G = BN254.generator


def square_root(square, p):
    """A root modulo p, by Tonelli and Shanks."""
    assert pow(square, (p - 1) // 2, p) == 1
    odd, twos = p - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    other = next(z for z in range(2, p) if pow(z, (p - 1) // 2, p) == p - 1)
    power, factor, root = pow(other, odd, p), pow(square, odd, p), pow(square, (odd + 1) // 2, p)
    while factor != 1:
        order, value = 0, factor
        while value != 1:
            order, value = order + 1, value * value % p
        step = pow(power, 2 ** (twos - order - 1), p)
        twos, power = order, step * step % p
        factor, root = factor * power % p, root * step % p
    return root


class ErrorsTest(unittest.TestCase):
    def test_classes(self):
        for name in ["InvalidInput", "NoDevice", "OutOfMemory", "Cancelled", "DeviceFailed",
                     "VerificationFailed"]:
            self.assertTrue(issubclass(getattr(bucketeer, name), bucketeer.Error), name)
        self.assertTrue(issubclass(bucketeer.InvalidInput, ValueError))
        self.assertTrue(issubclass(bucketeer.OutOfMemory, MemoryError))
        self.assertEqual(bucketeer.Error.__module__, "bucketeer")

    def refused(self, message, call, *arguments, kind=bucketeer.InvalidInput, **options):
        with self.subTest(message), self.assertRaisesRegex(kind, message):
            call(*arguments, **options)

    def test_names(self):
        for call in [
            lambda: bucketeer.Curve("curve25519"),
            lambda: bucketeer.Bases("curve25519", []),
            lambda: bucketeer.msm("curve25519", [], []),
            lambda: bucketeer.plan("curve25519", 5),
        ]:
            self.refused('unknown curve "curve25519": expected one of bls12-377', call)
        self.refused("check: expected one of", bucketeer.Bases, "bn254", [G], check="all")
        self.refused("form: expected one of", bucketeer.Bases, "bn254", b"", form="words")
        self.refused("precompute: expected", bucketeer.Bases, "bn254", [G], precompute="much")
        self.refused("instance of .str.", bucketeer.Bases, "bn254", [G], check=3, kind=TypeError)
        self.refused("unknown device", bucketeer.Device, "gpu")
        self.refused("unknown device", bucketeer.Bases, "bn254", [G], device="gpu")
        number = {"device": 3, "kind": TypeError}
        self.refused("a Device or its name", bucketeer.Bases, "bn254", [G], **number)
        self.refused("", bucketeer.Bases, 7, [G], kind=TypeError)

    def test_points(self):
        p = BN254.field.p
        for points, message in [
            ([G, (1, 3)], "base 1 is not on the curve"),
            ([G, (p + 1, 2)], "base 1: x is not below the modulus"),
            ([(1, 2**256)], "point 0: y is not from 0 to the modulus"),
            ([(-1, 2)], "point 0: x is not from 0 to the modulus"),
        ]:
            self.refused(message, bucketeer.Bases, "bn254", points)
        for points, message in [
            ([(1, 2, 3)], "point 0 is not a pair"),
            ([G, 5], "point 1 is not a pair"),
            ([(1.0, 2)], "point 0: x is not an integer"),
            ([((1, 0), (2, 0))], "point 0: x is not an integer"),
        ]:
            self.refused(message, bucketeer.Bases, "bn254", points, kind=TypeError)
        self.refused("pair of integers", bucketeer.Bases, "bn254-g2", [(1, 2)], kind=TypeError)
        self.refused("form is for bytes", bucketeer.Bases, "bn254", [G], form="montgomery")
        other = bucketeer.msm("pallas", [CURVES["pallas"].generator], [1])
        self.refused("point 1 is of pallas, not of bn254-g1", bucketeer.Bases, "bn254", [G, other])

    def test_settings(self):
        self.refused("window", bucketeer.Bases, "bn254", [G] * 9, window_bits=27)
        self.refused("window", bucketeer.plan, "bn254", 9, window_bits=0)
        self.refused("precompute", bucketeer.Bases, "bn254", [G] * 9, precompute=0)
        limit = {"memory_limit": 1, "kind": bucketeer.OutOfMemory}
        self.refused("out of memory", bucketeer.Bases, "bn254", multiples(BN254, 99), **limit)
        self.refused("", bucketeer.Bases, "bn254", [G], memory_limit=-1, kind=OverflowError)

    def test_lengths(self):
        bases = bucketeer.Bases("bn254", [G, G])
        self.refused("2 bases but 3 scalars", bases.msm, [1, 2, 3])
        self.refused("1 bases but 2 scalars", bases.msm, [1, 2], first=1)
        self.refused("bases 3..2 were requested of 2", bases.msm, [], first=3)
        second = "MSM 1 of the batch: 2 bases but 3 scalars"
        self.refused(second, bases.msm_batch, [[1], [1, 2, 3]])
        self.refused("MSM 1 of the batch", bases.msm_batch, [[1], b"\xff" * 32])
        self.refused("2 bases but 3 scalars", bases.submit, [1, 2, 3])
        self.refused("1 bases but 2 scalars", bucketeer.msm, "bn254", [G], [1, 2])


class ChecksTest(unittest.TestCase):
    """A point of BLS12-381's curve that is not in the subgroup: x = 4."""

    def setUp(self):
        self.curve = CURVES["bls12-381-g1"]
        p = self.curve.field.p
        y = pow(4**3 + 4, (p + 1) // 4, p)
        self.outside = (4, y)
        self.assertTrue(self.curve.contains(self.outside))
        self.assertIsNotNone(self.curve.mul(self.curve.order, self.outside))
        self.points = multiples(self.curve, 70)

    def test_subgroup(self):
        bucketeer.Bases("bls12-381", self.points, check="subgroup")
        points = self.points[:]
        points[65] = self.outside
        bucketeer.Bases("bls12-381", points)
        for call in [
            lambda: bucketeer.Bases("bls12-381", points, check="subgroup"),
            lambda: bucketeer.msm("bls12-381", points, [1] * 70, check="subgroup"),
        ]:
            with self.assertRaisesRegex(bucketeer.InvalidInput, "base 65 is not in the prime"):
                call()

    def test_any_point(self):
        points = [self.outside, *self.points[:8]]
        scalars = [self.curve.order - 5] * 9
        expected = self.curve.msm(points, scalars)
        bases = bucketeer.Bases("bls12-381", points, any_point=True)
        self.assertEqual(xy(bases.msm(scalars)), expected)
        own = bucketeer.msm("bls12-381", points, scalars, any_point=True)
        self.assertEqual(xy(own), expected)

    def test_none(self):
        wrong = pack_points(self.curve, self.points[:3] + [(1, 1)])
        with self.assertRaisesRegex(bucketeer.InvalidInput, "base 3 is not on the curve"):
            bucketeer.Bases("bls12-381", wrong)
        self.assertEqual(len(bucketeer.Bases("bls12-381", wrong, check="none")), 4)

    def test_bandersnatch_has_sums_without_coordinates(self):
        """P and Q = −P − T, where T is the point of order two at infinity that the affine Edwards
        model lacks: P + T = (1/(√(a·d)·x), √(a/d)/y)."""
        curve = CURVES["bandersnatch"]
        p, (x, y) = curve.field.p, curve.generator
        product = square_root(curve.a * curve.d, p)
        quotient = product * pow(curve.d, -1, p) % p
        q = (-pow(product * x, -1, p) % p, quotient * pow(y, -1, p) % p)
        self.assertTrue(curve.contains(q))
        points = [curve.generator, q]
        with self.assertRaises(ValueError):  # A denominator is zero.
            curve.add(*points)
        bases = bucketeer.Bases("bandersnatch", points, any_point=True)
        for call in [
            lambda: bases.msm([1, 1]),
            lambda: bases.msm_batch([[1, 1]]),
            lambda: bases.submit([1, 1]).wait(),
            lambda: bucketeer.msm("bandersnatch", points, [1, 1], any_point=True),
        ]:
            with self.assertRaisesRegex(bucketeer.InvalidInput, "point at infinity"):
                call()
        # T has order two.
        self.assertTrue(bases.msm([2, 2]).is_infinity)


class DevicesTest(unittest.TestCase):
    def test_devices(self):
        self.assertEqual(bucketeer.devices()[0], "cpu")
        device = bucketeer.Device("cpu", threads=2)
        self.assertEqual((device.kind, device.threads), ("cpu", 2))
        self.assertGreater(device.memory, 1 << 20)
        self.assertIn(str(device), repr(device))
        self.assertIn(bucketeer.Device().kind, ["cpu", "cuda"])
        with self.assertRaisesRegex(bucketeer.InvalidInput, "threads"):
            bucketeer.Device("auto", threads=2)
        with self.assertRaises(bucketeer.Error):
            bucketeer.Device("cpu", threads=0)
        with self.assertRaisesRegex(bucketeer.NoDevice, "cuda:99"):
            bucketeer.Device("cuda:99")

    def test_bases_are_where_they_are_put(self):
        for device in [None, "cpu", bucketeer.Device("cpu", threads=1)]:
            bases = bucketeer.Bases("bn254", [G] * 5, device=device)
            self.assertEqual(xy(bases.msm([1, 2, 3, 4, 5])), BN254.mul(15, G))
            own = bucketeer.msm("bn254", [G] * 5, [1, 2, 3, 4, 5], device=device)
            self.assertEqual(xy(own), BN254.mul(15, G))
        self.assertEqual((bases.device.kind, bases.device.threads), ("cpu", 1))
        self.assertEqual((bases.curve, len(bases)), ("bn254-g1", 5))
        self.assertIn("5 of bn254-g1", repr(bases))

    def test_every_device_present(self):
        points, scalars = multiples(BN254, 300), [3 * i for i in range(300)]
        expected = BN254.mul(sum(3 * i * (i + 1) for i in range(300)), G)
        for name in bucketeer.devices():
            with self.subTest(name):
                own = bucketeer.msm("bn254", points, scalars, device=name)
                self.assertEqual(xy(own), expected)


class PlansTest(unittest.TestCase):
    def test_plan(self):
        plan = bucketeer.plan("bn254", 1 << 20)
        self.assertEqual(plan.bytes, sum(plan.buffers.values()))
        self.assertGreaterEqual(plan.bytes, plan.table_bytes)
        self.assertGreaterEqual(plan.table_bytes, 64 << 20)
        self.assertGreater(plan.seconds, 0)
        self.assertTrue(plan.resident)
        self.assertGreater(bucketeer.plan("bn254", 1 << 20, precompute=4).table_bytes,
                           3 * plan.table_bytes)
        self.assertEqual(bucketeer.plan("bn254", 1 << 20, window_bits=9).window_bits, 9)
        self.assertFalse(bucketeer.plan("bn254", 1 << 20, resident=False).resident)
        small = bucketeer.plan("bn254", 1 << 20, memory_limit=32 << 20)
        self.assertLessEqual(small.bytes, 32 << 20)
        self.assertFalse(small.resident)
        self.assertIn("window", str(plan))

    def test_bases_have_plans_and_precomputation_keeps_sums(self):
        points, scalars = multiples(BN254, 200), [7 * i + 2**200 for i in range(200)]
        expected = BN254.mul(sum(k * (i + 1) for i, k in enumerate(scalars)) % BN254.order, G)
        for options in [{}, {"precompute": 3}, {"precompute": "auto"}, {"window_bits": 5},
                        {"memory_limit": 1 << 20}]:
            with self.subTest(options):
                bases = bucketeer.Bases("bn254", points, **options)
                self.assertEqual(xy(bases.msm(scalars)), expected)
                if isinstance(options.get("precompute"), int):
                    self.assertEqual(bases.plan.precompute, options["precompute"])
                if "window_bits" in options:
                    self.assertEqual(bases.plan.window_bits, options["window_bits"])
                if "memory_limit" in options:
                    self.assertLessEqual(bases.plan.bytes, options["memory_limit"])


class PointTest(unittest.TestCase):
    def test_equality_and_hash(self):
        a, b = bucketeer.msm("bn254", [G], [6]), bucketeer.msm("bn254", [G, G], [4, 2])
        c, zero = bucketeer.msm("bn254", [G], [5]), bucketeer.msm("bn254", [G], [0])
        self.assertEqual(a, b)
        self.assertEqual(hash(a), hash(b))
        self.assertEqual(len({a, b, c, zero}), 3)
        self.assertNotEqual(a, c)
        self.assertNotEqual(a, (a.x, a.y))
        other = bucketeer.msm("grumpkin", [CURVES["grumpkin"].generator], [0])
        self.assertNotEqual(zero, other)
        self.assertEqual((zero.x, zero.y), (None, None))

    def test_text(self):
        point = bucketeer.msm("bn254", [G], [1])
        self.assertEqual(repr(point), 'Point("bn254-g1", x=0x1, y=0x2)')
        zero = bucketeer.msm("bn254", [G], [0])
        self.assertEqual(repr(zero), 'Point("bn254-g1", infinity)')
        g2 = repr(bucketeer.msm("bn254-g2", [CURVES["bn254-g2"].generator], [1]))
        self.assertRegex(g2, r'^Point\("bn254-g2", x=\(0x[0-9a-f]+, 0x[0-9a-f]+\), y=\(')
        edwards = bucketeer.msm("bandersnatch", [None], [1])
        self.assertEqual(repr(edwards), 'Point("bandersnatch", x=0x0, y=0x1)')

    def test_bytes_and_timings(self):
        point = bucketeer.Bases("bn254", multiples(BN254, 50)).msm([1] * 50)
        packed = pack_point(BN254, xy(point), "big-endian")
        self.assertEqual(point.to_bytes(form="big-endian"), packed)
        self.assertEqual(bytes(64), bucketeer.msm("bn254", [], []).to_bytes("montgomery"))
        self.assertGreater(point.timings["accumulate"], 0)
        self.assertGreaterEqual(min(point.timings.values()), 0)


if __name__ == "__main__":
    unittest.main()
