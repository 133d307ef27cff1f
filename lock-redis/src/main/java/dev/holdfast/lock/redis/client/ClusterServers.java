package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.redis.script.ScriptCall;
import dev.holdfast.lock.spi.support.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/**
 * The nodes of a Cluster. Calls are sent to all their nodes before the first reply is read, so that a batch takes as long as its
 * slowest node. A node that is known to be unresponsive fails its calls at once.
 */
final class ClusterServers implements RedisServers {

    /** Enough to spread the load, few enough for one counter each. Part of the keys: it never changes. */
    private static final int SHARDS = 1_024;

    /** A slot may move again while its calls are on their way to its new node. */
    private static final int MAX_REDIRECTIONS = 3;

    private final ConnectionSource connections;
    private final ClusterTopology topology;
    private final int size;

    /**
     * Asks which node has which slots.
     *
     * @param connections closed with these servers, or if opening fails
     * @param size the maximum number of connections to each node
     * @throws JedisException if no node answers by the deadline
     */
    ClusterServers(ConnectionSource connections, int size, Deadline deadline) {
        this.connections = connections;
        this.size = size;
        this.topology = new ClusterTopology(connections);
        try {
            topology.open(deadline);
        } catch (RuntimeException e) {
            connections.close();
            throw e;
        }
    }

    @Override
    public int shards() {
        return SHARDS;
    }

    @Override
    public int connections() {
        return size;
    }

    @Override
    public List<Object> call(List<ScriptCall> calls, Deadline deadline) {
        Object[] replies = new Object[calls.size()];
        List<Integer> open = IntStream.range(0, calls.size()).boxed().toList();
        for (int round = 0; round < MAX_REDIRECTIONS && !open.isEmpty(); round++) {
            callOnce(calls, open, replies, deadline);
            List<Integer> moved = new ArrayList<>();
            for (int at : open) {
                if (replies[at] instanceof JedisMovedDataException e) {
                    topology.slots().move(e.getSlot(), e.getTargetNode());
                    topology.refreshLater();
                    moved.add(at);
                } else if (replies[at] instanceof JedisAskDataException e) {
                    replies[at] = ask(e, calls.get(at), deadline);
                } else if (RedisErrors.isOfTopology(replies[at])) {
                    topology.refreshLater();
                }
            }
            open = moved;
        }
        return Arrays.asList(replies);
    }

    /** Sends each open call to the node of its slot, all calls on one slot to the same node. */
    private void callOnce(List<ScriptCall> calls, List<Integer> open, Object[] replies, Deadline deadline) {
        SlotMap slots = topology.slots();
        Map<Integer, HostAndPort> nodeOf = new HashMap<>();
        Map<HostAndPort, NodeBatch> batches = new LinkedHashMap<>();
        for (int at : open) {
            try {
                HostAndPort node = nodeOf.computeIfAbsent(calls.get(at).slot(), slots::node);
                batches.computeIfAbsent(node, any -> new NodeBatch(node, replies))
                        .add(at, calls.get(at));
            } catch (JedisException e) {
                replies[at] = e;
                topology.refreshLater();
            }
        }
        try {
            int left = batches.size();
            for (NodeBatch batch : batches.values()) {
                batch.send(deadline.share(left)); // a node that accepts no connection leaves time for the others
                left--;
            }
            batches.values().forEach(batch -> batch.receive(deadline));
        } finally {
            batches.values().forEach(NodeBatch::close);
        }
    }

    /** The calls to one node. If it fails, only its own calls go unanswered. */
    private final class NodeBatch implements AutoCloseable {

        private final HostAndPort node;
        private final List<ScriptCall> calls = new ArrayList<>();
        private final List<Integer> indexes = new ArrayList<>();
        private final Object[] replies;

        /** The start of the wait for this node alone. */
        private long start;

        private @Nullable Pipeline pipeline;

        /** @param replies to all calls, to be filled in by index */
        NodeBatch(HostAndPort node, Object[] replies) {
            this.node = node;
            this.replies = replies;
        }

        void add(int index, ScriptCall call) {
            indexes.add(index);
            calls.add(call);
        }

        void send(Deadline deadline) {
            start = System.nanoTime();
            try {
                if (topology.isUnresponsive(node)) {
                    throw new JedisConnectionException("the node " + node + " does not answer");
                }
                pipeline = new Pipeline(connections.borrow(node, deadline), calls);
                pipeline.send();
                start = System.nanoTime();
            } catch (RuntimeException e) {
                fail(e);
            }
        }

        void receive(Deadline deadline) {
            if (pipeline == null) {
                return; // it has failed already
            }
            try {
                List<Object> received = pipeline.receive(deadline);
                pipeline.resendUnknown(received, deadline);
                for (int at = 0; at < received.size(); at++) {
                    replies[indexes.get(at)] = received.get(at);
                }
                topology.recordReply(node);
            } catch (RuntimeException e) {
                fail(e);
            }
        }

        private void fail(RuntimeException failure) {
            if (RedisErrors.isTimeout(failure)) {
                topology.recordTimeout(node, start);
            } else {
                topology.refreshLater();
            }
            JedisException reply = failure instanceof JedisException e ? e : new JedisException(failure);
            indexes.forEach(at -> replies[at] = reply);
            close();
        }

        @Override
        public void close() {
            Pipeline last = pipeline;
            pipeline = null;
            if (last != null) {
                last.close();
            }
        }
    }

    private Object ask(JedisAskDataException redirection, ScriptCall call, Deadline deadline) {
        try {
            HostAndPort node = topology.slots().resolve(redirection.getTargetNode(), redirection.getSlot());
            return Pipeline.asking(connections.borrow(node, deadline), call, deadline);
        } catch (JedisException e) {
            topology.refreshLater();
            return e;
        }
    }

    @Override
    public BorrowedConnection openSubscriber(Deadline deadline) {
        JedisException failure = new JedisException("no node of the cluster is known");
        List<HostAndPort> nodes = topology.primaries();
        int left = nodes.size();
        for (HostAndPort node : nodes) {
            try {
                // A silent node leaves half of the time for the others.
                return connections.openDedicated(node, deadline.share(Math.min(left, 2)));
            } catch (JedisException e) {
                failure = e;
            }
            left--;
        }
        topology.refreshLater();
        throw failure;
    }

    @Override
    public <T> T askReplica(HostAndPort replica, Question<T> question, Deadline deadline) {
        return connections.askReplica(replica, question, deadline);
    }

    @Override
    public <T> Map<String, T> askEach(Question<T> question, Deadline deadline) {
        Duration timeout = Duration.ofMillis(deadline.millisLeft());
        topology.refresh(deadline);
        Map<String, T> answers = new TreeMap<>();
        for (HostAndPort node : topology.primaries()) {
            answers.put(node.toString(), connections.ask(node, question, Deadline.in(timeout)));
        }
        return answers;
    }

    @Override
    public void close() {
        topology.close();
        connections.close();
    }
}
