// The curve in the form the prelude chose: points as `Base` in tables and `Sum` in accumulators.
#pragma once
#if EDWARDS
#include "edwards.cuh"
#else
#include "weierstrass.cuh"
#endif
