"""Curves, devices, plans, points, errors and stubs."""

import ast
import inspect
import pathlib
import re
import unittest

import bucketeer
from helpers import BN254, multiples, pack_point, pack_points, xy
from parameters import CURVES

G = BN254.generator


class ErrorsTest(unittest.TestCase):
    def test_classes(self):
        for name in ["InvalidInput", "NoDevice", "OutOfMemory", "Cancelled", "DeviceFailed"]:
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
        self.refused("a str", bucketeer.Bases, "bn254", [G], check=3, kind=TypeError)
        self.refused("unknown device", bucketeer.Device, "gpu")
        self.refused("unknown device", bucketeer.Bases, "bn254", [G], device="gpu")
        self.refused("a Device or its name", bucketeer.Bases, "bn254", [G], device=3, kind=TypeError)
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
            ([(1, 2, 3)], "point 0 is no pair"),
            ([G, 5], "point 1 is no pair"),
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
        self.refused("MSM 1 of the batch: 2 bases but 3 scalars", bases.msm_batch, [[1], [1, 2, 3]])
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
            with self.assertRaisesRegex(bucketeer.InvalidInput, "base 65 is not in the prime-order"):
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
        """Points of order two at infinity, which the affine Edwards model lacks."""
        curve = CURVES["bandersnatch"]
        p = curve.field.p
        # y = 0: a·x² = 1 needs a square root of a, which is not a square; (0, −1) has order two.
        two = (0, p - 1)
        self.assertTrue(curve.contains(two))
        own = bucketeer.msm("bandersnatch", [two, two], [1, 2], any_point=True)
        self.assertEqual(xy(own), two)


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
                self.assertEqual(xy(bucketeer.msm("bn254", points, scalars, device=name)), expected)


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
        self.assertEqual(point.to_bytes(form="big-endian"), pack_point(BN254, xy(point), "big-endian"))
        self.assertEqual(bytes(64), bucketeer.msm("bn254", [], []).to_bytes("montgomery"))
        self.assertGreater(point.timings["accumulate"], 0)
        self.assertGreaterEqual(min(point.timings.values()), 0)


class StubsTest(unittest.TestCase):
    """The stubs and the module have the same names, members and parameters."""

    def setUp(self):
        folder = pathlib.Path(bucketeer.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        self.tree = ast.parse((folder / "__init__.pyi").read_text())

    def parameters(self, node):
        arguments = node.args
        names = [one.arg for one in arguments.posonlyargs + arguments.args]
        return [name for name in names if name not in ("self", "cls")], [
            one.arg for one in arguments.kwonlyargs
        ]

    def same_signature(self, node, function):
        kinds = inspect.Parameter
        own = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
        positional = [p.name for p in own if p.kind != kinds.KEYWORD_ONLY]
        keywords = [p.name for p in own if p.kind == kinds.KEYWORD_ONLY]
        self.assertEqual(self.parameters(node), (positional, keywords), node.name)
        own_defaults = {p.name: p.default for p in own if p.default is not kinds.empty}
        arguments = node.args
        positional = arguments.posonlyargs + arguments.args
        pairs = list(zip(positional[::-1], arguments.defaults[::-1]))
        pairs += zip(arguments.kwonlyargs, arguments.kw_defaults)
        stubbed = {one.arg for one, default in pairs if default is not None}
        self.assertEqual(set(own_defaults), stubbed, node.name)

    def test_names(self):
        defined = {"Error", "InvalidInput", "NoDevice", "OutOfMemory", "Cancelled", "DeviceFailed",
                   "__version__"}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                self.same_signature(node, getattr(bucketeer, node.name))
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                self.same_members(node)
            else:
                continue
            defined.add(node.name)
        self.assertEqual(sorted(defined), sorted(bucketeer.__all__))

    def same_members(self, stub):
        own = getattr(bucketeer, stub.name)
        nodes = {node.name: node for node in stub.body if isinstance(node, ast.FunctionDef)}
        plain = {name for name in nodes if not name.startswith("_")}
        self.assertEqual(plain, {name for name in dir(own) if not name.startswith("_")})
        for name in plain:
            is_property = bool(nodes[name].decorator_list)
            self.assertEqual(inspect.isgetsetdescriptor(getattr(own, name)), is_property, name)
            if not is_property:
                self.same_signature(nodes[name], getattr(own, name))
        if "__new__" in nodes:
            self.same_signature(nodes["__new__"], own)
        self.assertEqual(own.__module__, "bucketeer")

    def test_version(self):
        self.assertRegex(bucketeer.__version__, r"^\d+\.\d+\.\d+")
        self.assertIsNotNone(re.match(r"\d", bucketeer.__version__))


if __name__ == "__main__":
    unittest.main()
