package dev.holdfast.lock.bench.scenario;

import dev.holdfast.lock.bench.peer.Place;
import java.util.List;

/** Something that Holdfast goes through, and what it costs. */
public interface Scenario {

    /** What it is called on the command line and in the results, such as {@code held-leases}. */
    String id();

    /** Goes through it once, and leaves the servers as they were. */
    List<Figure> run(Place place) throws Exception;
}
