package dev.holdfast.lock.redis.inspection;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockInfo.Holder;
import dev.holdfast.lock.spi.LockName;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** What the script for looking said of one lock. */
final class Sight {

    private static final int FIRST_WAITER = 3;
    private static final int WORDS = 5;
    private static final String HELD = "h";

    private static final int HALF = 16;
    private static final int HEXADECIMAL = 16;

    private Sight() {}

    /** The lock; empty if there is nothing to see of it any more. */
    static Optional<LockInfo> of(LockName name, List<?> reply) {
        String lock = text(reply.get(0));
        Instant until = micros(text(reply.get(2))).plusMillis((Long) reply.get(1));
        List<String> waiters =
                reply.stream().skip(FIRST_WAITER).map(Sight::text).toList();
        if (lock.isEmpty()) {
            return waiters.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new LockInfo(name, Optional.empty(), Optional.empty(), waiters));
        }
        String[] words = lock.split(" ", WORDS);
        if (!words[0].equals(HELD)) {
            return Optional.of(new LockInfo(name, Optional.empty(), Optional.of(until), waiters));
        }
        Holder holder = new Holder(id(words[1]), words[4], Long.parseLong(words[2]), micros(words[3]), until);
        return Optional.of(new LockInfo(name, Optional.of(holder), Optional.empty(), waiters));
    }

    private static AcquisitionId id(String digits) {
        return new AcquisitionId(
                Long.parseUnsignedLong(digits, 0, HALF, HEXADECIMAL),
                Long.parseUnsignedLong(digits, HALF, digits.length(), HEXADECIMAL));
    }

    private static Instant micros(String number) {
        return Instant.EPOCH.plus(Long.parseLong(number), ChronoUnit.MICROS);
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }
}
