package dev.holdfast.lock.memory;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.tck.BreakableConnection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A connection to a store in this process that can be broken, as if it were one over a network. */
final class MemoryConnection implements BreakableConnection {

    private static final Map<String, MemoryConnection> OPEN = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private final Properties configuration = new Properties();
    private final Set<Consumer<Notification>> listeners = new CopyOnWriteArraySet<>();
    private volatile boolean cut;
    private volatile CountDownLatch silence = new CountDownLatch(0);

    MemoryConnection(Properties store) {
        configuration.putAll(store);
        configuration.setProperty(MutantProvider.CONNECTION.name(), id);
        OPEN.put(id, this);
    }

    static MemoryConnection named(String id) {
        return OPEN.get(id);
    }

    /** Whether these replies come from the broken connection, and not from the store. */
    static boolean isBroken(List<LockReply> replies) {
        return replies.stream()
                .anyMatch(reply -> reply instanceof LockReply.Unavailable down
                        && down.cause() instanceof LockUnavailableException);
    }

    @Override
    public Properties configuration() {
        return configuration;
    }

    @Override
    public void cut() {
        cut = true;
    }

    @Override
    public void silence() {
        silence = new CountDownLatch(1);
    }

    @Override
    public void heal() {
        boolean gap = isBroken();
        cut = false;
        silence.countDown();
        if (gap) {
            listeners.forEach(listener -> listener.accept(Notification.ANY));
        }
    }

    @Override
    public void close() {
        heal();
        OPEN.remove(id);
    }

    private boolean isBroken() {
        return cut || silence.getCount() > 0;
    }

    private void check() {
        if (cut) {
            throw new LockUnavailableException("the connection to the store is cut", null);
        }
    }

    /** @throws LockUnavailableException if it is broken for this long */
    void awaitConnection(Duration timeout) {
        check();
        try {
            if (!silence.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new LockUnavailableException("no answer within " + timeout, null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockUnavailableException("interrupted", e);
        }
    }

    LockStore over(LockStore store) {
        return new MutatedCalls(store) {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                try {
                    awaitConnection(timeout);
                } catch (LockUnavailableException e) {
                    return Collections.nCopies(commands.size(), new LockReply.Unavailable(e));
                }
                return super.execute(commands, timeout);
            }

            @Override
            public Stream<LockInfo> list(String prefix, Duration timeout) {
                awaitConnection(timeout);
                return super.list(prefix, timeout).peek(info -> awaitConnection(timeout));
            }

            @Override
            public AutoCloseable subscribe(Consumer<Notification> to) {
                AutoCloseable signals = super.subscribe(notification -> {
                    if (!isBroken()) {
                        to.accept(notification);
                    }
                });
                listeners.add(to);
                return () -> {
                    listeners.remove(to);
                    signals.close();
                };
            }
        };
    }
}
