package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.spi.Deadline;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/** The calls of a batch to one node. If it fails, its calls are unanswered, and nobody else's. */
final class Part implements AutoCloseable {

    private final Nodes nodes;
    private final Topology topology;
    private final HostAndPort node;
    private final List<Call> calls;
    private final List<Integer> places;
    private final Object[] replies;

    /** Since when this node alone has been waited for. */
    private long start;

    private @Nullable Exchange exchange;

    /**
     * @param which of all calls go there
     * @param replies gets theirs, at the same places
     */
    Part(Nodes nodes, Topology topology, HostAndPort node, List<Call> all, List<Integer> which, Object[] replies) {
        this.nodes = nodes;
        this.topology = topology;
        this.node = node;
        this.calls = which.stream().map(all::get).toList();
        this.places = which;
        this.replies = replies;
    }

    void send(Deadline deadline) {
        start = System.nanoTime();
        try {
            if (topology.isSilent(node)) {
                throw new JedisConnectionException("the node " + node + " does not answer");
            }
            exchange = new Exchange(nodes.at(node), calls, deadline);
            exchange.send();
            start = System.nanoTime();
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    void read(Deadline deadline) {
        if (exchange == null) {
            return; // it has failed already
        }
        try {
            List<Object> answers = exchange.read(deadline);
            for (int at = 0; at < places.size(); at++) {
                replies[places.get(at)] = answers.get(at);
            }
            topology.isAnswered(node);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    private void failed(RuntimeException failure) {
        if (Failures.isSilence(failure)) {
            topology.isUnanswered(node, start);
        } else {
            topology.changed();
        }
        JedisException reply = failure instanceof JedisException e ? e : new JedisException(failure);
        places.forEach(at -> replies[at] = reply);
        close();
    }

    @Override
    public void close() {
        Exchange last = exchange;
        exchange = null;
        if (last != null) {
            last.close();
        }
    }
}
