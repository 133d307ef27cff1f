package dev.holdfast.lock.architecture;

/** Of the composite, with both of its stores beside it. */
class CompositeArchitectureTest extends ArchitectureRules {}
