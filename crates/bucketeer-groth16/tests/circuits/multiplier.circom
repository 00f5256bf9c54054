pragma circom 2.0.0;

// Two secret factors of a public product.
template Multiplier() {
    signal input a;
    signal input b;
    signal output product;
    product <== a * b;
}

component main = Multiplier();
