package dev.holdfast.lock.redis.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Short forms of commands, and their execution one at a time. */
public final class TestCommands {

    /** How long a call may take that is answered: longer than a machine stands still. */
    public static final Duration CALL = Duration.ofMinutes(1);

    public static final Duration LEASE = Duration.ofMinutes(5);

    private TestCommands() {}

    public static AcquisitionId id() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new AcquisitionId(random.nextLong(), random.nextLong());
    }

    public static LockCommand.Acquire acquire(String name, AcquisitionId id) {
        return new LockCommand.Acquire(new LockName(name), id, LEASE, false, 0, "a test");
    }

    public static LockCommand.Acquire queue(String name, AcquisitionId id) {
        return new LockCommand.Acquire(new LockName(name), id, LEASE, true, 0, "a test");
    }

    public static LockCommand.Renew renew(String name, AcquisitionId id) {
        return new LockCommand.Renew(new LockName(name), id, LEASE);
    }

    public static LockCommand.Release release(String name, AcquisitionId id) {
        return new LockCommand.Release(new LockName(name), id, Duration.ZERO, Duration.ZERO);
    }

    public static LockReply ask(LockStore store, LockCommand command) {
        return store.execute(List.of(command), CALL).get(0);
    }

    /** The answer, which is of this kind. */
    public static <T extends LockReply> T answered(LockStore store, LockCommand command, Class<T> kind) {
        LockReply reply = ask(store, command);
        assertThat(reply).as("the answer to " + command).isInstanceOf(kind);
        return kind.cast(reply);
    }
}
