// The prime field, in Montgomery form: x stands for x·2^(LIMBS·LIMB_BITS) mod p, always below p.
//
// A limb has LIMB_BITS bits of a u32. Products of limbs are summed up in words of type Wide without
// carries: 2·LIMBS products of LIMB_BITS + LIMB_BITS bits fit, which is what the size of a limb is
// chosen for. There are two bits or more above p, so that sums of two elements need no more limbs.
//
// The prelude defines LIMBS, LIMB_BITS, MASK = 2^LIMB_BITS − 1, WORDS (32-bit words of an element
// in memory), PACKED = WORDS + 2, Wide, P_INV = −p⁻¹ mod 2^LIMB_BITS, and the constants P, ONE and
// P_MINUS_2.
//
// Loops marked `unroll` are written out when the shader is put together: limbs that are indexed by
// constants can stay in registers.

alias Fp = array<u32, LIMBS>;
// An element as it is in memory. The last two words are zero.
alias Packed = array<u32, PACKED>;

fn fp_unpack(words: Packed) -> Fp {
    var r = Fp();
    for (var k = 0u; k < LIMBS; k++) { // unroll
        let low = words[k * LIMB_BITS / 32u] >> (k * LIMB_BITS % 32u);
        let high = (words[k * LIMB_BITS / 32u + 1u] << 1u) << (31u - k * LIMB_BITS % 32u);
        r[k] = (low | high) & MASK;
    }
    return r;
}

fn fp_pack(a: Fp) -> Packed {
    var r = Packed();
    for (var k = 0u; k < LIMBS; k++) { // unroll
        r[k * LIMB_BITS / 32u] |= a[k] << (k * LIMB_BITS % 32u);
        r[k * LIMB_BITS / 32u + 1u] |= (a[k] >> 1u) >> (31u - k * LIMB_BITS % 32u);
    }
    return r;
}

fn fp_zero() -> Fp {
    return Fp();
}

fn fp_one() -> Fp {
    return ONE;
}

fn fp_is_zero(a: Fp) -> bool {
    var all = 0u;
    for (var k = 0u; k < LIMBS; k++) { // unroll
        all |= a[k];
    }
    return all == 0u;
}

// a mod p for a < 2p.
fn fp_reduce(a: Fp) -> Fp {
    var r = Fp();
    var borrow = 0u;
    for (var k = 0u; k < LIMBS; k++) { // unroll
        let difference = a[k] - P[k] - borrow;
        r[k] = difference & MASK;
        borrow = difference >> 31u;
    }
    for (var k = 0u; k < LIMBS; k++) { // unroll
        r[k] = select(r[k], a[k], borrow != 0u);
    }
    return r;
}

fn fp_add(a: Fp, b: Fp) -> Fp {
    var r = Fp();
    var carry = 0u;
    for (var k = 0u; k < LIMBS; k++) { // unroll
        let sum = a[k] + b[k] + carry;
        r[k] = sum & MASK;
        carry = sum >> LIMB_BITS;
    }
    return fp_reduce(r);
}

fn fp_sub(a: Fp, b: Fp) -> Fp {
    var r = Fp();
    var borrow = 0u;
    for (var k = 0u; k < LIMBS; k++) { // unroll
        let difference = a[k] - b[k] - borrow;
        r[k] = difference & MASK;
        borrow = difference >> 31u;
    }
    let all = 0u - borrow;
    var carry = 0u;
    for (var k = 0u; k < LIMBS; k++) { // unroll
        let sum = r[k] + (P[k] & all) + carry;
        r[k] = sum & MASK;
        carry = sum >> LIMB_BITS;
    }
    return r;
}

fn fp_double(a: Fp) -> Fp {
    return fp_add(a, a);
}

fn fp_neg(a: Fp) -> Fp {
    return fp_sub(fp_zero(), a);
}

// One limb of a at a time: the rows are added up, and with each a multiple of p that clears the
// lowest limb, which then drops out. The loop over the rows stays a loop: the code is short, and
// only a is indexed.
fn fp_mul(a: Fp, b: Fp) -> Fp {
    var rows = a;
    var t = array<Wide, LIMBS>();
    for (var i = 0u; i < LIMBS; i++) {
        let digit = Wide(rows[i]);
        let low = t[0] + digit * Wide(b[0]);
        let m = Wide((u32(low & Wide(MASK)) * P_INV) & MASK);
        let carry = (low + m * Wide(P[0])) >> LIMB_BITS;
        for (var j = 1u; j < LIMBS; j++) { // unroll
            t[j - 1u] = t[j] + digit * Wide(b[j]) + m * Wide(P[j]);
        }
        t[LIMBS - 1u] = Wide(0u);
        // Last: of one limb it is all there is.
        t[0] += carry;
    }
    var r = Fp();
    var carry = Wide(0u);
    for (var k = 0u; k < LIMBS; k++) { // unroll
        let sum = t[k] + carry;
        r[k] = u32(sum & Wide(MASK));
        carry = sum >> LIMB_BITS;
    }
    return fp_reduce(r);
}

fn fp_sqr(a: Fp) -> Fp {
    return fp_mul(a, a);
}

fn fp_select(first: bool, a: Fp, b: Fp) -> Fp {
    var r = Fp();
    for (var k = 0u; k < LIMBS; k++) { // unroll
        r[k] = select(b[k], a[k], first);
    }
    return r;
}

// a^(p − 2); 0 for 0.
fn fp_inverse(a: Fp) -> Fp {
    var exponent = P_MINUS_2;
    var r = fp_one();
    for (var bit = 32u * WORDS; bit > 0u; bit--) {
        r = fp_sqr(r);
        if (((exponent[(bit - 1u) / 32u] >> ((bit - 1u) % 32u)) & 1u) != 0u) {
            r = fp_mul(r, a);
        }
    }
    return r;
}
