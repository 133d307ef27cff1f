package dev.holdfast.lock.architecture;

import dev.holdfast.lock.composite.CompositeLockProvider;

/** Of the composite. */
class CompositeArchitectureTest extends ArchitectureRules {

    CompositeArchitectureTest() {
        super(CompositeLockProvider.class);
    }
}
