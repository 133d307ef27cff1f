package dev.holdfast.lock.architecture;

/** Of what is run to be looked at, and of all that it runs. */
class BenchArchitectureTest extends ArchitectureRules {}
