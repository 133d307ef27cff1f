package dev.holdfast.lock.spring.micrometer;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.admin.FailoverStatus;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The store of a composite that grants, as far as the events show. Thread-safe. */
final class GrantingStore {

    /** The stores of a composite. */
    enum Store {
        PRIMARY,
        FALLBACK,
        NONE
    }

    private final AtomicReference<@Nullable Store> store = new AtomicReference<>();

    void changed(FailoverEvent event) {
        switch (event.kind()) {
            case PRIMARY_ACTIVE -> store.set(Store.PRIMARY);
            case FALLBACK_ACTIVE -> store.set(Store.FALLBACK);
            case PRIMARY_DRAINING, FAILING_BACK -> store.set(Store.NONE);
            case PRIMARY_SUSPECTED -> store.compareAndSet(null, Store.PRIMARY); // and goes on granting
        }
    }

    void startFrom(FailoverStatus status) {
        Store active = Store.NONE;
        if (status.active().equals(status.primary())) {
            active = Store.PRIMARY;
        } else if (status.active().equals(status.fallback())) {
            active = Store.FALLBACK;
        }
        store.compareAndSet(null, active);
    }

    double asNumber(Store which) {
        Store granting = store.get();
        if (granting == null) {
            return Double.NaN;
        }
        return granting == which ? 1 : 0;
    }
}
