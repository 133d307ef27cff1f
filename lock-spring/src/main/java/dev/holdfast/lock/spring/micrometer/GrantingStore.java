package dev.holdfast.lock.spring.micrometer;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.admin.FailoverStatus;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of a composite that grants: by its events and, before the first of them, by its status. That is asked for when the value is
 * read, until the composite answers; the reader does not wait for it. Thread-safe.
 */
final class GrantingStore {

    private static final Logger log = LoggerFactory.getLogger(GrantingStore.class);

    /** The stores of a composite. */
    enum Store {
        PRIMARY,
        FALLBACK,
        NONE
    }

    private final AtomicReference<@Nullable Store> store = new AtomicReference<>();
    private final Supplier<Optional<FailoverStatus>> status;
    private final BackgroundQuestion question;

    /** @param status asks the composite */
    GrantingStore(Supplier<Optional<FailoverStatus>> status) {
        this(status, BackgroundQuestion.APART);
    }

    GrantingStore(Supplier<Optional<FailoverStatus>> status, Executor apart) {
        this.status = status;
        this.question = new BackgroundQuestion(this::askForStatus, apart);
    }

    void changed(FailoverEvent event) {
        switch (event.kind()) {
            case PRIMARY_ACTIVE -> store.set(Store.PRIMARY);
            case FALLBACK_ACTIVE -> store.set(Store.FALLBACK);
            case PRIMARY_DRAINING, FAILING_BACK -> store.set(Store.NONE);
            case PRIMARY_SUSPECTED -> store.compareAndSet(null, Store.PRIMARY); // and goes on granting
        }
    }

    /** Asks the composite if no event has shown which store grants. */
    void ask() {
        if (store.get() == null) {
            question.ask();
        }
    }

    private void askForStatus() {
        try {
            status.get().ifPresent(this::startFrom);
        } catch (RuntimeException e) { // it does not answer, or the locks are closed: the next reader asks
            log.debug("the composite has not said which of its stores grants", e);
        }
    }

    private void startFrom(FailoverStatus known) {
        Store active = Store.NONE;
        if (known.active().equals(known.primary())) {
            active = Store.PRIMARY;
        } else if (known.active().equals(known.fallback())) {
            active = Store.FALLBACK;
        }
        store.compareAndSet(null, active);
    }

    double asNumber(Store which) {
        ask();
        Store granting = store.get();
        if (granting == null) {
            return Double.NaN;
        }
        return granting == which ? 1 : 0;
    }
}
