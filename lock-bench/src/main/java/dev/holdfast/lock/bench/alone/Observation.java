package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.bench.peer.Place;
import java.util.List;
import java.util.Optional;

/** Something that Holdfast goes through, and what it costs. */
public interface Observation {

    /** What it is called on the command line and in the results, such as {@code held-leases}. */
    String id();

    /** What it is called above a table. */
    String title();

    /** What it needs and is not there, in words; empty if it can be run. */
    default Optional<String> missing() {
        return Optional.empty();
    }

    /** Goes through it once. What it leaves in the servers is in namespaces of its own. */
    List<Quantity> run(Place place) throws Exception;
}
