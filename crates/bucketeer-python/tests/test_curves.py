"""Every named curve against plain Python."""

import unittest

import bucketeer
from helpers import load, msm, multiples, pack_point, pack_points, pack_scalars, random_scalars, xy
from parameters import CURVES

FORMS = ["montgomery", "little-endian", "big-endian"]


class ReferenceTest(unittest.TestCase):
    def test_parameters_fit_each_other(self):
        for name, curve in CURVES.items():
            with self.subTest(name):
                self.assertTrue(curve.contains(curve.generator))
                self.assertEqual(curve.mul(curve.order, curve.generator), curve.neutral)
                five = multiples(curve, 5)[-1]
                self.assertEqual(five, curve.mul(5, curve.generator))
                self.assertTrue(curve.contains(five))


class CurvesTest(unittest.TestCase):
    def each(self):
        for name, curve in CURVES.items():
            with self.subTest(name):
                yield name, curve

    def test_names_and_parameters(self):
        self.assertEqual(sorted(bucketeer.curves()), sorted(CURVES))
        for name, curve in self.each():
            own = bucketeer.Curve(name)
            self.assertEqual((own.name, own.order), (name, curve.order))
            self.assertEqual(own.modulus, curve.field.p)
            self.assertEqual(own.point_bytes, len(pack_point(curve, curve.generator)))
            self.assertEqual(own.scalar_bytes, len(pack_scalars(curve, [1])))
        self.assertEqual(bucketeer.Curve("BN254").name, "bn254-g1")

    def test_special_points_and_scalars(self):
        """Infinity, equal points, P and −P, the scalars 0, 1 and −1."""
        for name, curve in self.each():
            p, q = multiples(curve, 2)
            points = [p, None, p, curve.neg(p), q, q, None, curve.neg(q), p]
            plain = [curve.neutral if point is None else point for point in points]
            scalars = random_scalars(curve, len(points), name)
            scalars[4], scalars[7], scalars[8] = 0, curve.order - 1, 1
            expected = curve.msm(plain, scalars)
            bases = load(name, points)
            self.assertEqual(xy(bases.msm(scalars)), expected)
            # In another order, and by one call.
            backwards = msm(name, points[::-1], scalars[::-1])
            self.assertEqual(xy(backwards), expected)
            self.assertEqual(backwards, bases.msm(scalars))
            # Integers that are not residues.
            odd = [-1, 2**64, -(2**70), curve.order, curve.order + 2, 7, 1, -3, 2**300]
            self.assertEqual(xy(bases.msm(odd)), curve.msm(plain, odd))
            small = [1, 0, 200, 255, 3, 3, 9, 0, 1]
            self.assertEqual(xy(bases.msm(small)), curve.msm(plain, small))

    def test_neutral_sums(self):
        for name, curve in self.each():
            p = curve.generator
            bases = load(name, [p, curve.neg(p), None])
            for sums in [bases.msm([5, 5, 7]), bases.msm([]), bases.msm([0, 0, 0])]:
                self.assertTrue(sums.is_infinity)
                self.assertEqual(xy(sums), curve.neutral)
                zero = None if not curve.edwards else (0, 1)
                self.assertEqual(sums.to_bytes(), pack_point(curve, zero))
            self.assertFalse(bases.msm([5, 4, 7]).is_infinity)
            self.assertTrue(msm(name, [], []).is_infinity)

    def test_forms_of_points_and_scalars(self):
        for name, curve in self.each():
            points = multiples(curve, 40)
            scalars = random_scalars(curve, 40, name)
            factor = sum(k * (i + 1) for i, k in enumerate(scalars)) % curve.order
            expected = curve.mul(factor, curve.generator)
            for form in FORMS:
                packed = pack_points(curve, points, form)
                bases = load(name, packed, form=form)
                for scalar_form in FORMS:
                    own = pack_scalars(curve, scalars, scalar_form)
                    sums = bases.msm(own, form=scalar_form)
                    self.assertEqual(xy(sums), expected, (form, scalar_form))
                self.assertEqual(sums.to_bytes(form), pack_point(curve, expected, form))
            # Bytes are little-endian unless a form is given.
            packed, own = pack_points(curve, points), pack_scalars(curve, scalars)
            self.assertEqual(xy(msm(name, packed, own)), expected)

    def test_batches_and_ranges(self):
        for name, curve in self.each():
            n = 24
            bases = load(name, multiples(curve, n))
            batch = [random_scalars(curve, length, length) for length in [n, 3, 0, n - 1]]
            sums = bases.msm_batch([pack_scalars(curve, scalars) for scalars in batch])
            for scalars, own in zip(batch, sums, strict=True):
                factor = sum(k * (i + 1) for i, k in enumerate(scalars)) % curve.order
                self.assertEqual(xy(own), curve.mul(factor, curve.generator))
            expected = curve.mul(3 * 8 + 4 * 9, curve.generator)
            self.assertEqual(xy(bases.msm([3, 4], first=7)), expected)
            (own,) = bases.msm_batch([[3, 4]], first=7)
            self.assertEqual(own, bases.msm([3, 4], first=7))
            self.assertTrue(bases.msm([], first=n).is_infinity)

    def test_sums_are_points(self):
        for name, curve in self.each():
            p = msm(name, [curve.generator], [3])
            self.assertEqual(p.curve, name)
            self.assertEqual(xy(p), curve.mul(3, curve.generator))
            nothing = msm(name, [curve.generator], [0])
            total = msm(name, [p, nothing, curve.generator], [5, 9, 2])
            self.assertEqual(xy(total), curve.mul(17, curve.generator))


if __name__ == "__main__":
    unittest.main()
