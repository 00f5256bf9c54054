"""EIP-4844 commitments equal to c-kzg's, on a setup whose secret is known."""

import pathlib
import random
import tempfile
import unittest

import bucketeer
import numpy as np
from helpers import xy
from parameters import CURVES

try:
    import ckzg
except ImportError:
    ckzg = None

G1, G2 = CURVES["bls12-381-g1"], CURVES["bls12-381-g2"]
R, N, TAU = G1.order, 4096, 0x5EC2E7
ROOT = pow(7, (R - 1) // N, R)


def multiples(name, curve, factors):
    bases = bucketeer.Bases(name, [curve.generator])
    return [bases.msm([factor]) for factor in factors]


def compressed(point):
    """The encoding of ZCash: x, big-endian, the highest bits for compression and the sign of y."""
    x, y = (part[::-1] if isinstance(part, tuple) else (part,) for part in xy(point))
    p = G1.field.p
    negative = next((part > p // 2 for part in y if part), False)
    data = bytearray(b"".join(part.to_bytes(48, "big") for part in x))
    data[0] |= 0x80 | (0x20 if negative else 0)
    return data.hex()


def lagrange():
    """The Lagrange polynomials of the N-th roots of unity at TAU."""
    scale = (pow(TAU, N, R) - 1) * pow(N, -1, R) % R
    roots = [pow(ROOT, i, R) for i in range(N)]
    return [scale * root * pow(TAU - root, -1, R) % R for root in roots]


def bit_reversed(values):
    bits = len(values).bit_length() - 1
    return [values[int(f"{i:0{bits}b}"[::-1], 2)] for i in range(len(values))]


@unittest.skipIf(ckzg is None, "ckzg is not installed")
class CkzgTest(unittest.TestCase):
    def test_commitments(self):
        factors = lagrange()
        points = multiples("bls12-381", G1, factors)
        powers = [pow(TAU, i, R) for i in range(N)]
        lines = [str(N), "65"]
        lines += map(compressed, points)
        lines += map(compressed, multiples("bls12-381-g2", G2, powers[:65]))
        lines += map(compressed, multiples("bls12-381", G1, powers))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "setup.txt"
            file.write_text("\n".join(lines))
            settings = ckzg.load_trusted_setup(str(file), 0)
        bases = bucketeer.Bases("bls12-381", bit_reversed(points))
        source = random.Random(4844)
        for kind in ["random", "few", "zero"]:
            values = [0] * N
            if kind != "zero":
                values = [source.randrange(R) for _ in range(N)]
            if kind == "few":
                values[5:] = [0] * (N - 5)
            blob = b"".join(value.to_bytes(32, "big") for value in values)
            rows = np.frombuffer(blob, np.uint8).reshape(N, 32)
            own = bases.msm(rows, form="big-endian")
            expected = ckzg.blob_to_kzg_commitment(blob, settings)
            with self.subTest(kind):
                if own.is_infinity:
                    self.assertEqual(expected, b"\xc0" + bytes(47))
                else:
                    self.assertEqual(compressed(own), expected.hex())
                total = sum(k * f for k, f in zip(values, bit_reversed(factors), strict=True)) % R
                self.assertEqual(xy(own), G1.mul(total, G1.generator))


if __name__ == "__main__":
    unittest.main()
