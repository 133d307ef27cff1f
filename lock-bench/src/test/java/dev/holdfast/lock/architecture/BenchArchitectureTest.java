package dev.holdfast.lock.architecture;

import dev.holdfast.lock.bench.Bench;

/** Of what is run to be looked at. */
class BenchArchitectureTest extends ArchitectureRules {

    BenchArchitectureTest() {
        super(Bench.class);
    }
}
