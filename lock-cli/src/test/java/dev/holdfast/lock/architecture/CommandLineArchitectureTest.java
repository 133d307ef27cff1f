package dev.holdfast.lock.architecture;

/** Of the API, the engine, the SQL and Redis stores and the command line. */
class CommandLineArchitectureTest extends ArchitectureRules {}
