package dev.holdfast.lock.bench.alone;

import dev.holdfast.lock.bench.peer.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One process holds many leases on Redis at once, and does nothing else.
 *
 * @param leases how many
 * @param lease how long each is; renewed after a third of it
 */
public record HeldLeases(int leases, Duration lease) implements Observation {

    /** What it is called. */
    public static final String ID = "held-leases";

    /** What renewals cost. */
    public static final String PROCESSOR = "processor used to renew them, of one core";

    /** What more leases need of threads. */
    public static final String THREADS = "threads more than with one lease";

    /** How many of them were there until the end. */
    public static final String HELD = "held at the end";

    /** As promised for 100,000. */
    public static HeldLeases asPromised() {
        return new HeldLeases(100_000, Duration.ofSeconds(30));
    }

    @Override
    public String id() {
        return ID;
    }

    @Override
    public String title() {
        return String.format(Locale.ROOT, "%,d leases held by one process, Redis", leases);
    }

    @Override
    public List<Quantity> run(Place place) throws Exception {
        List<String> arguments =
                List.of(Integer.toString(place.redisPort()), Integer.toString(leases), Long.toString(lease.toMillis()));
        List<Quantity> quantities = new ArrayList<>();
        // In a process of its own, so that all that it uses is used by the leases.
        try (JavaProcess holder = new JavaProcess(HeldLeasesProcess.class, arguments)) {
            for (String line = holder.line(); !line.equals(HeldLeasesProcess.END); line = holder.line()) {
                String[] parts = line.split(HeldLeasesProcess.SEPARATOR, -1);
                quantities.add(new Quantity(parts[0], Double.parseDouble(parts[1]), parts[2]));
            }
        }
        return quantities;
    }
}
