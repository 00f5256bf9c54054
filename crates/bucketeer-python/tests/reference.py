"""Elliptic curves in plain Python: affine additions by the textbook, double-and-add.

It shares nothing with the library. The parameters are those of the curves' specifications;
test_reference checks that they fit each other.
"""

from dataclasses import dataclass


class Field:
    """Integers modulo p, or pairs of them: c0 + c1·u with u² = non_residue."""

    def __init__(self, p, non_residue=None):
        self.p, self.non_residue = p, non_residue
        self.zero = 0 if non_residue is None else (0, 0)
        self.one = 1 if non_residue is None else (1, 0)

    def add(self, a, b):
        if self.non_residue is None:
            return (a + b) % self.p
        return tuple((x + y) % self.p for x, y in zip(a, b, strict=True))

    def neg(self, a):
        if self.non_residue is None:
            return -a % self.p
        return tuple(-x % self.p for x in a)

    def sub(self, a, b):
        return self.add(a, self.neg(b))

    def mul(self, a, b):
        if self.non_residue is None:
            return a * b % self.p
        (a0, a1), (b0, b1) = a, b
        return ((a0 * b0 + self.non_residue * a1 * b1) % self.p, (a0 * b1 + a1 * b0) % self.p)

    def div(self, a, b):
        if self.non_residue is None:
            return a * pow(b, -1, self.p) % self.p
        norm = pow(b[0] * b[0] - self.non_residue * b[1] * b[1], -1, self.p)
        return self.mul(a, (b[0] * norm % self.p, -b[1] * norm % self.p))


class Group:
    """Scalar multiples and sums from an addition, which subclasses have."""

    def mul(self, scalar, point):
        if scalar < 0:
            return self.mul(-scalar, self.neg(point))
        result = self.neutral
        for bit in bin(scalar)[2:]:
            result = self.add(result, result)
            if bit == "1":
                result = self.add(result, point)
        return result

    def msm(self, points, scalars):
        result = self.neutral
        for point, scalar in zip(points, scalars, strict=True):
            result = self.add(result, self.mul(int(scalar), point))
        return result


@dataclass
class Weierstrass(Group):
    """y² = x³ + b; ``None`` is infinity."""

    field: Field
    b: object
    order: int
    generator: tuple
    edwards = False
    neutral = None

    def contains(self, point):
        f, (x, y) = self.field, point
        return f.mul(y, y) == f.add(f.mul(x, f.mul(x, x)), self.b)

    def neg(self, point):
        return None if point is None else (point[0], self.field.neg(point[1]))

    def add(self, p, q):
        f = self.field
        if p is None or q is None:
            return q if p is None else p
        if p[0] == q[0]:
            if p[1] != q[1] or p[1] == f.zero:
                return None
            square = f.mul(p[0], p[0])
            slope = f.div(f.add(square, f.add(square, square)), f.add(p[1], p[1]))
        else:
            slope = f.div(f.sub(q[1], p[1]), f.sub(q[0], p[0]))
        x = f.sub(f.mul(slope, slope), f.add(p[0], q[0]))
        return (x, f.sub(f.mul(slope, f.sub(p[0], x)), p[1]))


@dataclass
class Edwards(Group):
    """a·x² + y² = 1 + d·x²·y²."""

    field: Field
    a: int
    d: int
    order: int
    generator: tuple
    edwards = True
    neutral = (0, 1)

    def contains(self, point):
        p, x2, y2 = self.field.p, point[0] ** 2, point[1] ** 2
        return (self.a * x2 + y2 - 1 - self.d * x2 * y2) % p == 0

    def neg(self, point):
        return (-point[0] % self.field.p, point[1])

    def add(self, p, q):
        f = self.field
        product = self.d * p[0] * q[0] * p[1] * q[1]
        x = f.div(p[0] * q[1] + p[1] * q[0], 1 + product)
        y = f.div(p[1] * q[1] - self.a * p[0] * q[0], 1 - product)
        return (x, y)
