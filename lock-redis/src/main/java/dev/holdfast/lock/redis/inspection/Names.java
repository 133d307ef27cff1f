package dev.holdfast.lock.redis.inspection;

import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/** Which locks there are: SCAN, page by page, each of which keeps the server for a moment only, however many keys it has. */
final class Names {

    private static final String START = "0";
    private static final int PAGE = 1_000;

    private final Keyspace keyspace;
    private final String prefix;
    private final NavigableSet<LockName> found = new TreeSet<>();

    Names(Keyspace keyspace, String prefix) {
        this.keyspace = keyspace;
        this.prefix = prefix;
    }

    /**
     * In their order.
     *
     * @param deadline for a connection to each server; from then on it is for how long a page may take
     */
    NavigableSet<LockName> of(Servers servers, Deadline deadline) {
        servers.each(this::scan, deadline);
        return found;
    }

    private boolean scan(Connection connection) {
        String cursor = START;
        do {
            List<?> page = (List<?>) connection.executeCommand(new CommandArguments(Command.SCAN)
                    .add(cursor)
                    .add("MATCH")
                    .add(keyspace.pattern())
                    .add("COUNT")
                    .add(PAGE));
            cursor = text(page.get(0));
            for (Object key : (List<?>) page.get(1)) {
                keyspace.lockOf(text(key))
                        .filter(name -> name.value().startsWith(prefix))
                        .ifPresent(found::add);
            }
        } while (!cursor.equals(START));
        return true;
    }

    private static String text(Object word) {
        return new String((byte[]) word, StandardCharsets.UTF_8);
    }
}
