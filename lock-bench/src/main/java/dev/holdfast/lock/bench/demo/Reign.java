package dev.holdfast.lock.bench.demo;

/**
 * That somebody grants in the composite, from an instant on.
 *
 * @param grants one of both stores, or {@code nobody}
 * @param from since when
 */
record Reign(String grants, long from) {}
