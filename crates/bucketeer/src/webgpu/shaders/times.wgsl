// k·p by double-and-add.
fn times(p: Sum, k: u32) -> Sum {
    var sum = sum_identity();
    for (var bit = 32u - countLeadingZeros(k); bit > 0u; bit--) {
        sum = sum_double(sum);
        if (((k >> (bit - 1u)) & 1u) != 0u) {
            sum = sum_add(sum, p);
        }
    }
    return sum;
}
