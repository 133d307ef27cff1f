package dev.holdfast.lock.architecture;

/** Of the API, the engine, the SQL store and the command line. */
class CommandLineArchitectureTest extends ArchitectureRules {}
