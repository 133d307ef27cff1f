package dev.holdfast.lock.jdbc.postgresql;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/** How our function notifies: to which channel of the database, and in what words. */
final class Channel {

    private static final int ENOUGH_BYTES = 16;

    private Channel() {}

    /** One for each namespace: no longer than a channel's name may be, and safe to write without quotes. */
    static String of(Namespace namespace) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(namespace.value().getBytes(StandardCharsets.US_ASCII));
            return "holdfast_" + HexFormat.of().formatHex(digest, 0, ENOUGH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** What a notification says. Anybody may notify: what makes no sense may mean anything. */
    static Signal signal(String payload) {
        try {
            int end = payload.indexOf(' ');
            UUID id = UUID.fromString(payload.substring(0, end));
            return Signal.to(
                    new LockName(payload.substring(end + 1)),
                    new AcquisitionId(id.getMostSignificantBits(), id.getLeastSignificantBits()));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            return Signal.ANY;
        }
    }
}
