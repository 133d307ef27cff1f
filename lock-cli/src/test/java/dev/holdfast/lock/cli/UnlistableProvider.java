package dev.holdfast.lock.cli;

import dev.holdfast.lock.spi.Config;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockProvider;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import java.time.Duration;
import java.util.List;

/** {@code lock.provider=unlistable}: a store that cannot list locks. Its other operations are not called. */
public final class UnlistableProvider implements LockProvider {

    /** For the service loader. */
    public UnlistableProvider() {}

    @Override
    public String name() {
        return "unlistable";
    }

    @Override
    public LockStore open(Namespace namespace, Config config) {
        return new LockStore() {
            @Override
            public List<LockReply> execute(List<LockCommand> commands, Duration timeout) {
                throw new IllegalStateException("no command is expected");
            }

            @Override
            public void close() {}
        };
    }
}
