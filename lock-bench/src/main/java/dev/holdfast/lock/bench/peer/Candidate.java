package dev.holdfast.lock.bench.peer;

/**
 * One of those that are measured.
 *
 * @param id what it is called on the command line and in the results, such as {@code redisson-fair}
 * @param title what it is called in a table, such as {@code Redisson, fair lock}
 * @param store what it locks on
 * @param ours whether it is Holdfast
 * @param waits whether it waits at all; if not, whoever finds the lock busy has to try again
 * @param configuration what a reader has to know to repeat it
 */
public record Candidate(
        String id, String title, Store store, boolean ours, boolean waits, String configuration, Opening opening) {

    /** What a lock is kept in. */
    public enum Store {
        REDIS,
        POSTGRESQL
    }

    /** Opens it in this process. */
    @FunctionalInterface
    public interface Opening {
        Peer open(Place place) throws Exception;
    }

    /** Opens it in this process. */
    public Peer open(Place place) throws Exception {
        return opening.open(place);
    }
}
