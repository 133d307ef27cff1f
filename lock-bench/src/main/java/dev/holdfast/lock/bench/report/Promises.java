package dev.holdfast.lock.bench.report;

import dev.holdfast.lock.bench.alone.HeldLeases;
import dev.holdfast.lock.bench.alone.Observed;
import dev.holdfast.lock.bench.alone.Quantity;
import dev.holdfast.lock.bench.alone.Traffic;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What Holdfast aims at by itself. */
final class Promises {

    private static final int LEASES = 100_000;

    private final List<Observed> observations;

    private Promises(List<Observed> observations) {
        this.observations = observations;
    }

    static List<Target> of(List<Observed> observations) {
        Promises promises = new Promises(observations);
        return List.of(
                promises.ofLeases("Redis, 100,000 held leases, renewal, of one core in %", 5, HeldLeases.PROCESSOR),
                promises.ofLeases("Redis, 100,000 held leases, threads more than with one", 0, HeldLeases.THREADS),
                promises.most(
                        "client commands to Redis per acquire and release, however contended",
                        3,
                        Traffic.ID,
                        Traffic.COMMANDS));
    }

    /** Fewer leases answer nothing: neither those of a first look, nor those that were lost. */
    private Target ofLeases(String what, double limit, String quantity) {
        double held =
                greatest(HeldLeases.ID, HeldLeases.HELD).map(Quantity::value).orElse(0.0);
        return held < LEASES
                ? new Target(what, true, limit, null, String.format("%.0f leases were held at the end", held))
                : most(what, limit, HeldLeases.ID, quantity);
    }

    private Target most(String what, double limit, String observation, String beginning) {
        return greatest(observation, beginning)
                .map(most -> new Target(
                        what, true, limit, most.value(), most.what() + " " + most.text() + " " + most.unit()))
                .orElseGet(() -> new Target(what, true, limit, null, "no quantity of " + observation));
    }

    private Optional<Quantity> greatest(String observation, String beginning) {
        return observations.stream()
                .filter(observed -> observed.id().equals(observation))
                .flatMap(observed -> observed.quantities().stream())
                .filter(quantity -> quantity.what().startsWith(beginning))
                .max(Comparator.comparing(Quantity::value));
    }
}
