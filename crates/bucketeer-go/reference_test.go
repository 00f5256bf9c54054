package bucketeer_test

import (
	"math/big"
	"slices"
)

// The reference: affine additions with math/big, and scalar multiplication by double-and-add. It
// shares nothing with the library.

// element is one component of a field element, or two over a quadratic extension.
type element []*big.Int

// field is the integers modulo a prime, or their extension by a square root of nonResidue.
type field struct {
	modulus    *big.Int
	nonResidue *big.Int
}

func (f *field) reduce(values ...*big.Int) element {
	for _, value := range values {
		value.Mod(value, f.modulus)
	}
	return values
}

func (f *field) add(a, b element) element {
	sum := make(element, len(a))
	for i := range a {
		sum[i] = new(big.Int).Add(a[i], b[i])
	}
	return f.reduce(sum...)
}

func (f *field) negate(a element) element {
	negative := make(element, len(a))
	for i := range a {
		negative[i] = new(big.Int).Neg(a[i])
	}
	return f.reduce(negative...)
}

func (f *field) sub(a, b element) element { return f.add(a, f.negate(b)) }

func (f *field) mul(a, b element) element {
	product := func(i, j int) *big.Int { return new(big.Int).Mul(a[i], b[j]) }
	if len(a) == 1 {
		return f.reduce(product(0, 0))
	}
	high := new(big.Int).Mul(product(1, 1), f.nonResidue)
	return f.reduce(high.Add(high, product(0, 0)), new(big.Int).Add(product(0, 1), product(1, 0)))
}

func (f *field) invert(a element) element {
	if len(a) == 1 {
		return element{new(big.Int).ModInverse(a[0], f.modulus)}
	}
	conjugate := f.reduce(new(big.Int).Set(a[0]), new(big.Int).Neg(a[1]))
	norm := f.mul(a, conjugate)[0]
	inverse := new(big.Int).ModInverse(norm, f.modulus)
	return f.mul(conjugate, element{inverse, new(big.Int)})
}

func (f *field) times(k int64, a element) element {
	product := make(element, len(a))
	for i := range a {
		product[i] = new(big.Int).Mul(big.NewInt(k), a[i])
	}
	return f.reduce(product...)
}

func equal(a, b element) bool {
	return slices.EqualFunc(a, b, func(x, y *big.Int) bool { return x.Cmp(y) == 0 })
}

// point is affine; nil is the point at infinity of a Weierstrass curve.
type point struct{ x, y element }

func (c *curve) infinity() *point {
	if c.d == nil {
		return nil
	}
	return &point{element{big.NewInt(0)}, element{big.NewInt(1)}}
}

func (c *curve) negate(p *point) *point {
	switch {
	case p == nil:
		return nil
	case c.d == nil:
		return &point{p.x, c.field.negate(p.y)}
	default:
		return &point{c.field.negate(p.x), p.y}
	}
}

func (c *curve) add(p, q *point) *point {
	if c.d != nil {
		return c.addEdwards(p, q)
	}
	f := &c.field
	if p == nil || q == nil {
		if p == nil {
			return q
		}
		return p
	}
	var slope element
	switch {
	case !equal(p.x, q.x):
		slope = f.mul(f.sub(q.y, p.y), f.invert(f.sub(q.x, p.x)))
	case equal(p.y, f.negate(q.y)):
		return nil
	default: // A double. All curves here have a = 0.
		slope = f.mul(f.times(3, f.mul(p.x, p.x)), f.invert(f.times(2, p.y)))
	}
	x := f.sub(f.mul(slope, slope), f.add(p.x, q.x))
	return &point{x, f.sub(f.mul(slope, f.sub(p.x, x)), p.y)}
}

// addEdwards adds on a·x² + y² = 1 + d·x²·y².
func (c *curve) addEdwards(p, q *point) *point {
	f, one := &c.field, element{big.NewInt(1)}
	xx, yy := f.mul(p.x, q.x), f.mul(p.y, q.y)
	product := f.mul(element{c.d}, f.mul(xx, yy))
	cross := f.add(f.mul(p.x, q.y), f.mul(p.y, q.x))
	x := f.mul(cross, f.invert(f.add(one, product)))
	y := f.mul(f.sub(yy, f.times(c.a, xx)), f.invert(f.sub(one, product)))
	return &point{x, y}
}

func (c *curve) multiply(k *big.Int, p *point) *point {
	if k.Sign() < 0 {
		k, p = new(big.Int).Neg(k), c.negate(p)
	}
	product := c.infinity()
	for bit := k.BitLen() - 1; bit >= 0; bit-- {
		product = c.add(product, product)
		if k.Bit(bit) == 1 {
			product = c.add(product, p)
		}
	}
	return product
}

func (c *curve) sum(points []*point, scalars []*big.Int) *point {
	total := c.infinity()
	for i, k := range scalars {
		total = c.add(total, c.multiply(k, points[i]))
	}
	return total
}

// multiples are G, 2G, …, nG for the generator G.
func (c *curve) multiples(n int) []*point {
	points := []*point{c.generator}
	for len(points) < n {
		points = append(points, c.add(points[len(points)-1], c.generator))
	}
	return points[:n]
}
