package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.spi.Deadline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * The nodes of a Cluster. Calls are sent to all nodes that they concern before the first reply is read, so that a batch takes
 * as long as its slowest node; one that is known to be silent is not waited for.
 */
final class ClusterServers implements Servers {

    /** Enough to spread the load, few enough for one counter each. The keys are called by it: it never changes. */
    private static final int BUCKETS = 1_024;

    /** A slot may move again while its calls are being sent to where it had moved. */
    private static final int ROUNDS = 3;

    private final RedisClusterClient client;
    private final Topology topology;
    private final Runnable closing;

    /** @param closing what to do in the end */
    ClusterServers(RedisClusterClient client, Runnable closing) {
        this.client = client;
        this.topology = new Topology(client);
        this.closing = closing;
    }

    @Override
    public int buckets() {
        return BUCKETS;
    }

    @Override
    public List<Object> call(List<Call> calls, Deadline deadline) {
        Object[] replies = new Object[calls.size()];
        List<Integer> open = IntStream.range(0, calls.size()).boxed().toList();
        for (int round = 0; round < ROUNDS && !open.isEmpty(); round++) {
            call(calls, open, replies, deadline);
            List<Integer> moved = new ArrayList<>();
            for (int at : open) {
                if (replies[at] instanceof JedisMovedDataException e) {
                    topology.moved(e.getSlot(), e.getTargetNode());
                    moved.add(at);
                } else if (replies[at] instanceof JedisAskDataException) {
                    replies[at] = follow(calls.get(at));
                }
            }
            open = moved;
        }
        return Arrays.asList(replies);
    }

    /** One round: what has moved meanwhile says so in its reply. */
    private void call(List<Call> calls, List<Integer> open, Object[] replies, Deadline deadline) {
        Map<String, List<Integer>> byNode = new LinkedHashMap<>();
        for (int at : open) {
            try {
                byNode.computeIfAbsent(topology.node(calls.get(at).slot()), any -> new ArrayList<>())
                        .add(at);
            } catch (JedisException e) {
                replies[at] = e;
                topology.isOutdated();
            }
        }
        List<Part> parts = byNode.entrySet().stream()
                .map(each -> new Part(each.getKey(), each.getValue(), calls, replies, deadline))
                .toList();
        parts.forEach(Part::send);
        parts.forEach(Part::read);
    }

    /** The calls to one node. If it fails, its calls are unanswered, and nobody else's. */
    private final class Part {
        private final String node;
        private final List<Integer> open;
        private final List<Call> calls;
        private final Object[] replies;
        private final Deadline deadline;
        private @Nullable Exchange exchange;

        Part(String node, List<Integer> open, List<Call> calls, Object[] replies, Deadline deadline) {
            this.node = node;
            this.open = open;
            this.calls = open.stream().map(calls::get).toList();
            this.replies = replies;
            this.deadline = deadline;
        }

        void send() {
            try {
                if (topology.isKnownToBeSilent(node)) {
                    throw new JedisConnectionException("the node " + node + " does not answer");
                }
                exchange = new Exchange(topology.pool(node), calls, deadline);
                exchange.send();
            } catch (JedisException e) {
                failed(e);
            }
        }

        void read() {
            Exchange sent = exchange;
            if (sent == null) {
                return; // it has failed already
            }
            exchange = null;
            try (sent) {
                List<Object> answers = sent.read(deadline);
                for (int at = 0; at < open.size(); at++) {
                    replies[open.get(at)] = answers.get(at);
                }
            } catch (JedisException e) {
                failed(e);
            }
        }

        private void failed(JedisException failure) {
            if (Failures.isSilence(failure)) {
                topology.isSilent(node);
            } else {
                topology.isOutdated();
            }
            open.forEach(at -> replies[at] = failure);
            Exchange sent = exchange;
            exchange = null;
            if (sent != null) {
                sent.close();
            }
        }
    }

    /** A slot that is on its way: the client library knows how to ask for it where it goes, be it a node that is new. */
    private Object follow(Call call) {
        try {
            try {
                return client.executeCommand(new CommandObject<>(call.bySha(), BuilderFactory.RAW_OBJECT));
            } catch (JedisNoScriptException e) {
                return client.executeCommand(new CommandObject<>(call.byText(), BuilderFactory.RAW_OBJECT));
            }
        } catch (JedisException e) {
            return e;
        }
    }

    @Override
    public Connection subscriber() {
        JedisException last = null;
        for (ConnectionPool pool : client.getClusterNodes().values()) {
            try {
                return pool.getResource();
            } catch (JedisException e) {
                last = e;
            }
        }
        topology.isOutdated();
        throw last == null ? new JedisException("the cluster has no nodes") : last;
    }

    @Override
    public <T> Map<String, T> each(Question<T> question, Deadline deadline) {
        Map<String, T> answers = new TreeMap<>();
        for (String node : topology.primaries()) {
            try (Borrowed borrowed = Borrowed.from(topology.pool(node), deadline)) {
                Connection connection = borrowed.connection();
                connection.setSoTimeout(Math.max(1, deadline.millisLeft()));
                answers.put(node, question.ask(connection));
            }
        }
        return answers;
    }

    @Override
    public void close() {
        topology.close();
        closing.run();
    }
}
