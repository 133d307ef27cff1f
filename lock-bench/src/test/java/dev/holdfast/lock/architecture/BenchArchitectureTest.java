package dev.holdfast.lock.architecture;

import dev.holdfast.lock.bench.Bench;

/** The architecture rules for the benchmarks and the demo. */
class BenchArchitectureTest extends ArchitectureRules {

    BenchArchitectureTest() {
        super(Bench.class);
    }
}
