// Bases in the table: y − x, y + x and 2·d·x·y.

fn table_base(index: u32) -> Base {
    let at = index * BASE_WORDS;
    return Base(table_fq(at), table_fq(at + FQ_WORDS), table_fq(at + 2u * FQ_WORDS));
}
