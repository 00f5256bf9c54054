// Bases in the table: x and y; infinity is all ones, which no reduced coordinate is.

fn table_base(index: u32) -> Base {
    let at = index * BASE_WORDS;
    var all = 0xffffffffu;
    for (var k = 0u; k < WORDS; k++) { // unroll
        all &= table[at + k];
    }
    return Base(table_fq(at), table_fq(at + FQ_WORDS), all == 0xffffffffu);
}
