package dev.holdfast.lock.spring.micrometer;

import dev.holdfast.lock.AcquireFailure;
import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.LeaseKind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/**
 * The meters in one registry. All meters of a category and a kind of leases begin with the first event, at zero: a rate would miss the
 * first loss of a counter that begins with it. Thread-safe.
 */
final class LockMeters {

    private static final String PREFIX = "holdfast.lock.";

    private final MeterRegistry registry;
    private final Tags provider;
    private final GrantingStore granting;
    private final Map<Tags, OfLeases> leases = new ConcurrentHashMap<>();
    private final Map<FailoverEvent.Kind, Counter> failovers = new ConcurrentHashMap<>();

    LockMeters(MeterRegistry registry, String provider, StoreOutage outage, GrantingStore granting) {
        this.registry = registry;
        this.provider = Tags.of("provider", provider);
        this.granting = granting;
        gauge("unconfirmed", "Leases whose renewal the store has not answered", outage, StoreOutage::unconfirmedLeases);
        gauge("outage", "Whether the store leaves acquires or renewals unanswered", outage, StoreOutage::asNumber);
        if (provider.equals("composite")) {
            addFailover();
        }
    }

    private <T> void gauge(String name, String description, T state, ToDoubleFunction<T> value) {
        Gauge.builder(PREFIX + name, state, value)
                .description(description)
                .tags(provider)
                .strongReference(true)
                .register(registry);
    }

    private void addFailover() {
        granting.ask();
        for (GrantingStore.Store store : GrantingStore.Store.values()) {
            Gauge.builder(PREFIX + "granting.store", granting, state -> state.asNumber(store))
                    .description("1 for the store of the composite that grants")
                    .tags(provider)
                    .tag("store", text(store))
                    .strongReference(true)
                    .register(registry);
        }
        for (FailoverEvent.Kind kind : FailoverEvent.Kind.values()) {
            failovers.computeIfAbsent(
                    kind,
                    event -> Counter.builder(PREFIX + "failover")
                            .description("Events of a failover of the composite")
                            .tags(provider)
                            .tag("event", text(event))
                            .register(registry));
        }
    }

    boolean isIn(MeterRegistry other) {
        return registry == other;
    }

    /** The meters of the leases of a category and a kind. */
    OfLeases of(String category, LeaseKind kind) {
        return leases.computeIfAbsent(provider.and("lock", category, "kind", text(kind)), OfLeases::new);
    }

    void failover(FailoverEvent.Kind kind) {
        Counter counter = failovers.get(kind);
        if (counter != null) {
            counter.increment();
        }
    }

    private static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** The meters of the leases of one category and one kind. */
    final class OfLeases {

        private final Tags tags;
        private final Counter granted;
        private final Map<AcquireFailure, Counter> failed = new EnumMap<>(AcquireFailure.class);
        private final Timer waited;
        private final Timer busy;
        private final Timer unavailable;
        private final Timer held;
        private final Counter lost;

        private OfLeases(Tags tags) {
            this.tags = tags;
            granted = acquire("granted");
            for (AcquireFailure reason : AcquireFailure.values()) {
                failed.put(reason, acquire(text(reason)));
            }
            waited = timer("wait", "Time from the call to the grant");
            busy = timer("busy", "Wait of calls that ended because the lock was busy");
            unavailable = timer("unavailable", "Wait of calls that ended because the store did not answer");
            held = timer("held", "Time from the grant to the release or the loss");
            lost = counter("lost", "Leases that were lost").register(registry);
        }

        private Counter acquire(String result) {
            return counter("acquire", "Calls that ended").tag("result", result).register(registry);
        }

        private Counter.Builder counter(String name, String description) {
            return Counter.builder(PREFIX + name).description(description).tags(tags);
        }

        private Timer timer(String name, String description) {
            return Timer.builder(PREFIX + name)
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }

        void granted(Duration wait) {
            granted.increment();
            waited.record(wait);
        }

        void failed(AcquireFailure reason, Duration wait) {
            Counter counter = failed.get(reason);
            if (counter != null) {
                counter.increment();
            }
            switch (reason) {
                case BUSY -> busy.record(wait);
                case UNAVAILABLE -> unavailable.record(wait);
                case CANCELLED -> {} // its time means nothing
            }
        }

        void released(Duration time) {
            held.record(time);
        }

        void lost(Duration time) {
            held.record(time);
            lost.increment();
        }
    }
}
