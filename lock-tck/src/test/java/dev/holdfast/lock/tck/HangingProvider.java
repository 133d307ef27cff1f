package dev.holdfast.lock.tck;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.ConfigKey;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.support.ForwardingLockStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/** Opens stores of which some call never returns, for {@link HangingCallsTest}. */
public final class HangingProvider implements LockProvider {

    static final ConfigKey<String> CALL =
            ConfigKey.text("lock.hanging.call", "the call that hangs").required();

    /** A permit for each call that hangs. */
    static final Semaphore HANGING = new Semaphore(0);

    /** The call that never returns. */
    enum Call {
        /** Ignores its timeout and interrupts. */
        EXECUTE,
        /** Ignores its timeout, but not interrupts. */
        EXECUTE_UNTIL_INTERRUPTED,
        /** Ignores interrupts. */
        CLOSE
    }

    /** For {@link java.util.ServiceLoader}. */
    public HangingProvider() {}

    @Override
    public String name() {
        return "hanging";
    }

    @Override
    public Set<ConfigKey<?>> keys() {
        return Set.of(CALL);
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return new HangingStore(MemorySpace.of(namespace).open(), Call.valueOf(config.get(CALL)));
    }

    private static final class HangingStore extends ForwardingLockStore {

        private final Call hanging;

        HangingStore(LockStore store, Call hanging) {
            super(store);
            this.hanging = hanging;
        }

        @Override
        public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
            if (hanging == Call.EXECUTE) {
                ignoreInterrupts();
            } else if (hanging == Call.EXECUTE_UNTIL_INTERRUPTED) {
                awaitInterrupt();
            }
            return super.execute(commands, timeout);
        }

        private static void ignoreInterrupts() {
            HANGING.release();
            while (true) {
                LockSupport.park();
                Thread.interrupted();
            }
        }

        private static void awaitInterrupt() {
            HANGING.release();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            if (hanging == Call.CLOSE) {
                ignoreInterrupts();
            }
            super.close();
        }
    }
}
