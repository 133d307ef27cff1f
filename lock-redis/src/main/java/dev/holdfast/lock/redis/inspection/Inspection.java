package dev.holdfast.lock.redis.inspection;

import dev.holdfast.lock.redis.connection.Deposal;
import dev.holdfast.lock.redis.connection.Servers;
import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.redis.script.Keyspace;
import dev.holdfast.lock.spi.Deadline;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.regime.DeposedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.exceptions.JedisException;

/** Asks which locks there are, and then for each, a page at a time, who holds it and who waits. */
public final class Inspection {

    private static final int PAGE = 100;

    private final Servers servers;
    private final Keyspace keyspace;

    /** Asks nothing yet. */
    public Inspection(Servers servers, Keyspace keyspace) {
        this.servers = servers;
        this.keyspace = keyspace;
    }

    /**
     * The names that begin like this, in their order, by pages.
     *
     * @throws JedisException if a server does not answer
     */
    public List<List<LockName>> names(String prefix, Deadline deadline) {
        List<LockName> names = List.copyOf(new Names(keyspace, prefix).of(servers, deadline));
        List<List<LockName>> pages = new ArrayList<>();
        for (int from = 0; from < names.size(); from += PAGE) {
            pages.add(names.subList(from, Math.min(from + PAGE, names.size())));
        }
        return pages;
    }

    /**
     * What there is to see of these; those of which there is nothing are left out.
     *
     * @throws DeposedException if it is asked under a reign that is not in power
     * @throws JedisException if a server does not answer
     */
    public List<LockInfo> locks(List<LockName> names, Deadline deadline) {
        List<Call> calls = names.stream().map(keyspace::look).toList();
        List<Object> replies = servers.call(calls, deadline);
        List<LockInfo> locks = new ArrayList<>();
        for (int at = 0; at < names.size(); at++) {
            if (keyspace.reign().isPresent()) {
                Deposal.throwIn(replies.get(at));
            }
            if (replies.get(at) instanceof JedisException failure) {
                throw failure;
            }
            Optional<LockInfo> lock = Sight.of(names.get(at), (List<?>) replies.get(at));
            lock.ifPresent(locks::add);
        }
        return locks;
    }
}
