// Curves in plain BigInt arithmetic, written for the tests: affine formulas, double-and-add. It
// shares nothing with the program; points are found from the curve's equation, not taken from
// anywhere.

const mod = (value, p) => ((value % p) + p) % p;

function power(base, exponent, p) {
  let result = 1n;
  for (let b = mod(base, p), e = exponent; e > 0n; e >>= 1n, b = (b * b) % p) {
    if (e & 1n) result = (result * b) % p;
  }
  return result;
}

const inverse = (value, p) => power(value, p - 2n, p);

/** A square root by Tonelli and Shanks; null of a non-square. */
function squareRoot(value, p) {
  const square = mod(value, p);
  if (square === 0n) return 0n;
  if (power(square, (p - 1n) / 2n, p) !== 1n) return null;
  let [odd, twos] = [p - 1n, 0n];
  for (; odd % 2n === 0n; odd /= 2n) twos += 1n;
  let z = 2n;
  while (power(z, (p - 1n) / 2n, p) === 1n) z += 1n;
  let [c, root, t, m] = [
    power(z, odd, p),
    power(square, (odd + 1n) / 2n, p),
    power(square, odd, p),
    twos,
  ];
  while (t !== 1n) {
    let i = 0n;
    for (let s = t; s !== 1n; s = (s * s) % p) i += 1n;
    const b = power(c, 2n ** (m - i - 1n), p);
    [c, root, t, m] = [(b * b) % p, (root * b) % p, (t * b * b) % p, i];
  }
  return root;
}

class Curve {
  times(scalar, point) {
    let sum = this.zero;
    for (const bit of scalar.toString(2)) {
      sum = this.add(sum, sum);
      if (bit === "1") sum = this.add(sum, point);
    }
    return sum;
  }

  msm(points, scalars) {
    return points.reduce(
      (sum, point, i) => this.add(sum, this.times(scalars[i], point)),
      this.zero,
    );
  }

  /** Points of the prime-order subgroup: P, P + P + Q, … with P and Q found by x = 1, 2, … */
  points(count, random) {
    const [first] = this.wholeCurve(1);
    const generator = this.times(this.cofactor, first);
    return Array.from({ length: count }, () => this.times(random(this.order), generator));
  }

  /** The points with the smallest x, wherever on the curve. */
  wholeCurve(count) {
    const found = [];
    for (let x = 1n; found.length < count; x++) {
      const y = this.solve(x);
      if (y !== null && y !== 0n) found.push({ x, y });
    }
    return found;
  }
}

/** y² = x³ + b; null is infinity. */
class Weierstrass extends Curve {
  zero = null;

  constructor(p, b, order, cofactor) {
    super();
    Object.assign(this, { p, b, order, cofactor });
  }

  solve(x) {
    return squareRoot(x ** 3n + this.b, this.p);
  }

  add(a, b) {
    const { p } = this;
    if (a === null) return b;
    if (b === null) return a;
    if (a.x === b.x && mod(a.y + b.y, p) === 0n) return null;
    const slope =
      a.x === b.x
        ? 3n * a.x * a.x * inverse(2n * a.y, p)
        : (b.y - a.y) * inverse(mod(b.x - a.x, p), p);
    const x = mod(slope * slope - a.x - b.x, p);
    return { x, y: mod(slope * (a.x - x) - a.y, p) };
  }
}

/** a·x² + y² = 1 + d·x²·y². */
class Edwards extends Curve {
  zero = { x: 0n, y: 1n };

  constructor(p, d, order, cofactor, a = -1n) {
    super();
    Object.assign(this, { p, d, order, cofactor, a });
  }

  /** y for this x. */
  solve(x) {
    const { p, d, a } = this;
    return squareRoot((1n - a * x * x) * inverse(mod(1n - d * x * x, p), p), p);
  }

  /**
   * Two points whose sum lies at infinity. If D is a point of order two there, P + D is
   * (1/√(ad)/x, √(a/d)/y) up to the sign of x, with which it would be −P + D.
   */
  pairAtInfinity() {
    const { p, a, d } = this;
    const [point] = this.wholeCurve(1);
    const root = inverse(squareRoot(a * d, p), p);
    const y = mod(a * root * inverse(point.y, p), p);
    const x = mod(root * inverse(point.x, p), p);
    const twice = this.add(point, point);
    const isOpposite = (other) => mod(this.add(other, other).x + twice.x, p) === 0n;
    return [point, [{ x, y }, { x: p - x, y }].find(isOpposite)];
  }

  add(a, b) {
    const { p, d } = this;
    const product = mod(d * a.x * b.x * a.y * b.y, p);
    const x = mod((a.x * b.y + a.y * b.x) * inverse(mod(1n + product, p), p), p);
    return { x, y: mod((a.y * b.y - this.a * a.x * b.x) * inverse(mod(1n - product, p), p), p) };
  }
}

const r377 = 8444461749428370424248824938781546531375899335154063827935233455917409239041n;

export const bls12_377 = new Weierstrass(
  258664426012969094010652733694893533536393512754914660539884262666720468348340822774968888139573360124440321458177n,
  1n,
  r377,
  30631250834960419227450344600217059328n,
);

export const edwardsBls12 = new Edwards(
  r377,
  3021n,
  2111115437357092606062206234695386632838870926408408195193685246394721360383n,
  4n,
);

const p381 = 52435875175126190479447740508185965837690552500527637822603658699938581184513n;

export const bandersnatch = new Edwards(
  p381,
  mod(138827208126141220649022263972958607803n * inverse(171449701953573178309673572579671231137n, p381), p381),
  13108968793781547619861935127046491459309155893440570251786403306729687672801n,
  4n,
  -5n,
);

export const bn254 = new Weierstrass(
  21888242871839275222246405745257275088696311157297823662689037894645226208583n,
  3n,
  21888242871839275222246405745257275088548364400416034343698204186575808495617n,
  1n,
);

/** Integers below a bound, the same in every run. */
export function generator(seed) {
  let state = BigInt(seed);
  return (bound) => {
    let value = 0n;
    while (value < bound << 64n) {
      state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
      value = (value << 32n) | (state >> 32n);
    }
    return value % bound;
  };
}

/** Integers as little-endian bytes of a size. */
export function littleEndian(integers, size) {
  const hex = (value) => value.toString(16).padStart(2 * size, "0").match(/../g).reverse().join("");
  return Uint8Array.from(Buffer.from(integers.map(hex).join(""), "hex"));
}
