package dev.holdfast.lock.testing;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A memory store in stepped time. */
public final class SteppedMemory implements RandomHistory.Subject {
    private static final Duration CALL = Duration.ofMinutes(1);

    private Instant now = Instant.parse("2027-01-01T00:00:00Z");
    private final LockStore store = new MemorySpace(() -> now).open();
    private final Set<Notification> notified = new HashSet<>();

    public SteppedMemory() {
        store.subscribe(notified::add);
    }

    @Override
    public List<LockReply> execute(List<LockCommand> commands) {
        notified.clear();
        return store.execute(commands, CALL);
    }

    @Override
    public void pass(Duration time) {
        now = now.plus(time);
    }

    @Override
    public Instant now() {
        return now;
    }

    @Override
    public Optional<ListedLock> listed(LockName name) {
        return RandomHistory.listedBy(store.list(name.value(), CALL), name);
    }

    @Override
    public Optional<Set<Notification>> notified() {
        return Optional.of(Set.copyOf(notified));
    }
}
