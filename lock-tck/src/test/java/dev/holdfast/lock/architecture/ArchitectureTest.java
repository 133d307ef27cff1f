package dev.holdfast.lock.architecture;

/** Of the API, the engine and the kit. */
class ArchitectureTest extends ArchitectureRules {}
