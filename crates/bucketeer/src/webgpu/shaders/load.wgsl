// Reading field elements and sums out of the buffer `elements`; put together once for each buffer.

fn elements_fp(at: u32) -> Fp {
    var words = Packed();
    for (var k = 0u; k < WORDS; k++) { // unroll
        words[k] = elements[at + k];
    }
    return fp_unpack(words);
}

fn elements_sum(index: u32) -> Sum {
    let at = index * SUM_WORDS;
    return sum_of_memory(elements_fq(at), elements_fq(at + FQ_WORDS),
                         elements_fq(at + 2u * FQ_WORDS), elements_fq(at + 3u * FQ_WORDS));
}
