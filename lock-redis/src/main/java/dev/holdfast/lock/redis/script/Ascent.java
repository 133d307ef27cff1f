package dev.holdfast.lock.redis.script;

import dev.holdfast.lock.spi.regime.Carried;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What brings a reign to power: the grants it begins with, and its mark. */
public final class Ascent {

    /** Few enough for nobody to wait noticeably while a script writes them. */
    private static final int PAGE = 200;

    /** Where a grant lasts longer than told nobody is harmed, where it lasts shorter two may hold a lock: for clocks of two rates. */
    private static final long SLACK_MILLIS = 1_000;

    private static final long SLACK_SHARE = 500;

    private final Keyspace keyspace;

    /** @param keyspace of the reign */
    public Ascent(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /** What writes these grants, a page each. May be sent any number of times. */
    public List<Call> copy(List<Carried> grants) {
        List<Call> calls = new ArrayList<>();
        for (int from = 0; from < grants.size(); from += PAGE) {
            calls.add(page(grants.subList(from, Math.min(from + PAGE, grants.size()))));
        }
        return calls;
    }

    private Call page(List<Carried> grants) {
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> arguments = new ArrayList<>();
        for (Carried grant : grants) {
            keys.add(keyspace.lock(grant.name()));
            arguments.add(bytes((grant.kept() ? "k " : "h ") + grant.id() + " " + grant.token()));
            arguments.add(bytes(Long.toString(Limits.micros(grant.age()))));
            arguments.add(bytes(Long.toString(lasting(grant.remaining()))));
            arguments.add(bytes(Limits.owner(grant.owner())));
        }
        keys.add(keyspace.mark());
        return keyspace.call(Script.REIGN_COPY, grants.size(), keys, arguments);
    }

    private static long lasting(Duration remaining) {
        long millis = Limits.millis(remaining);
        return millis + millis / SLACK_SHARE + SLACK_MILLIS;
    }

    /** What leaves the mark. */
    public Call install(long base) {
        return keyspace.call(Script.REIGN_INSTALL, 0, List.of(keyspace.mark()), List.of(bytes(Long.toString(base))));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
