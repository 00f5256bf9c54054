pragma circom 2.0.0;

// A chain of products, with public and private inputs and a public output.
template Chain(n) {
    signal input start;
    signal input step[2];
    signal output end;
    signal values[n + 1];
    values[0] <== start;
    for (var i = 0; i < n; i++) {
        values[i + 1] <== (values[i] + i) * (values[i] - 3 * step[i % 2]);
    }
    end <== values[n];
}

component main { public [step] } = Chain(200);
