package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.server.Endpoints;

/**
 * A peer that can be measured.
 *
 * @param id on the command line and in the results, such as {@code redisson-fair}
 * @param title in tables, such as {@code Redisson, fair lock}
 * @param waits whether it waits for a busy lock; otherwise it fails
 * @param configuration the details needed to repeat the measurement
 * @param locks those that are measured
 */
public record Candidate(
        String id, String title, Store store, boolean waits, String configuration, Opener opener, Locks locks) {

    /** The keeper of its locks. */
    public enum Store {
        /** The process alone: an upper bound for any lock. It takes part where one process contends. */
        PROCESS,
        REDIS,
        POSTGRESQL,
        MARIADB
    }

    /** What kinds of locks are measured. */
    public enum Locks {
        EXCLUSIVE,
        /** Readers and a writer, and permits. */
        SHARED,
        BOTH
    }

    /** A candidate with exclusive locks. */
    public Candidate(String id, String title, Store store, boolean waits, String configuration, Opener opener) {
        this(id, title, store, waits, configuration, opener, Locks.EXCLUSIVE);
    }

    /** The same with these locks. */
    Candidate with(Locks others) {
        return new Candidate(id, title, store, waits, configuration, opener, others);
    }

    /** Opens the peer in this process. */
    @FunctionalInterface
    public interface Opener {
        Peer open(Endpoints endpoints) throws Exception;
    }

    public Peer open(Endpoints endpoints) throws Exception {
        return opener.open(endpoints);
    }

    public boolean isHoldfast() {
        return id.startsWith("holdfast");
    }
}
