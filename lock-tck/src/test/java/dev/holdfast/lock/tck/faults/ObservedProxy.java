package dev.holdfast.lock.tck.faults;

import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** A {@link FaultyProxy} for tests that have to know what is sent through it. */
public final class ObservedProxy {

    /** Sees what is sent on one connection, before anything is done to it. Called by one thread for each direction. */
    @FunctionalInterface
    public interface Conversation {

        /** @param bytes of which the first {@code length} were sent; used anew afterwards */
        void sees(Direction direction, byte[] bytes, int length);
    }

    private ObservedProxy() {}

    /** @param conversations called once for each client, also for one whose connection is ended at once */
    public static FaultyProxy of(InetSocketAddress server, Supplier<Conversation> conversations) {
        return new FaultyProxy(server, () -> {
            Conversation conversation = conversations.get();
            return conversation::sees;
        });
    }
}
