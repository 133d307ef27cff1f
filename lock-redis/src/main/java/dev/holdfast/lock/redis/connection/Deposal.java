package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.spi.regime.DeposedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What a server says to whoever asks under a reign that is not in power there. */
public final class Deposal {

    private static final byte[] DEPOSED = "deposed".getBytes(StandardCharsets.UTF_8);
    private static final byte[] ELSEWHERE = "elsewhere".getBytes(StandardCharsets.UTF_8);

    private Deposal() {}

    /** What speaks against the reign, if this reply to one of its scripts does. */
    public static Optional<DeposedException> in(Object reply) {
        if (Failures.isOfReplica(reply)) {
            return Optional.of(new DeposedException("the server is a replica", true));
        }
        if (!(reply instanceof List<?> words) || words.size() != 2 || !(words.get(0) instanceof byte[] word)) {
            return Optional.empty();
        }
        boolean isElsewhere = Arrays.equals(word, ELSEWHERE);
        return isElsewhere || Arrays.equals(word, DEPOSED)
                ? Optional.of(
                        new DeposedException(new String((byte[]) words.get(1), StandardCharsets.UTF_8), isElsewhere))
                : Optional.empty();
    }

    /**
     * Returns if nothing in this reply speaks against the reign.
     *
     * @throws DeposedException if something does
     */
    public static void throwIn(Object reply) {
        in(reply).ifPresent(deposed -> {
            throw deposed;
        });
    }
}
