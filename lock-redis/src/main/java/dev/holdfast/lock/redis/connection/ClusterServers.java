package dev.holdfast.lock.redis.connection;

import dev.holdfast.lock.redis.script.Call;
import dev.holdfast.lock.spi.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;

/**
 * The nodes of a Cluster. Calls are sent to all nodes that they concern before the first reply is read, so that a batch takes
 * as long as its slowest node; one that is known to be silent is not waited for.
 */
final class ClusterServers implements Servers {

    /** Enough to spread the load, few enough for one counter each. The keys are called by it: it never changes. */
    private static final int BUCKETS = 1_024;

    /** A slot may move again while its calls are being sent to where it had moved. */
    private static final int ROUNDS = 3;

    private final Nodes nodes;
    private final Topology topology;
    private final int connections;

    /**
     * Asks which slots each node has.
     *
     * @param connections how many to each there may be at a time
     * @throws JedisException if none of them says so by then
     */
    ClusterServers(Nodes nodes, int connections, Deadline deadline) {
        this.nodes = nodes;
        this.connections = connections;
        this.topology = new Topology(nodes);
        topology.renew(deadline);
    }

    @Override
    public int buckets() {
        return BUCKETS;
    }

    @Override
    public int connections() {
        return connections;
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
                    topology.slots().moved(e.getSlot(), e.getTargetNode());
                    topology.changed();
                    moved.add(at);
                } else if (replies[at] instanceof JedisAskDataException e) {
                    HostAndPort target = topology.slots().named(e.getTargetNode(), e.getSlot());
                    replies[at] = ask(target, calls.get(at), deadline);
                } else if (Failures.isOfTopology(replies[at])) {
                    topology.changed();
                }
            }
            open = moved;
        }
        return Arrays.asList(replies);
    }

    /** One round: what has moved meanwhile says so in its reply. All calls on a slot go the same way. */
    private void call(List<Call> calls, List<Integer> open, Object[] replies, Deadline deadline) {
        Slots slots = topology.slots();
        Map<Integer, HostAndPort> nodeOf = new HashMap<>();
        Map<HostAndPort, List<Integer>> byNode = new LinkedHashMap<>();
        for (int at : open) {
            try {
                byNode.computeIfAbsent(
                                nodeOf.computeIfAbsent(calls.get(at).slot(), slots::node), any -> new ArrayList<>())
                        .add(at);
            } catch (JedisException e) {
                replies[at] = e;
                topology.changed();
            }
        }
        List<Part> parts = new ArrayList<>();
        try {
            byNode.forEach((node, which) -> parts.add(new Part(nodes, topology, node, calls, which, replies)));
            for (int at = 0; at < parts.size(); at++) {
                parts.get(at)
                        .send(deadline.share(parts.size() - at)); // one that does not let in leaves time for the others
            }
            parts.forEach(part -> part.read(deadline));
        } finally {
            parts.forEach(Part::close);
        }
    }

    private Object ask(HostAndPort node, Call call, Deadline deadline) {
        try {
            return Exchange.asking(nodes.at(node), call, deadline);
        } catch (JedisException e) {
            topology.changed();
            return e;
        }
    }

    @Override
    public Borrowed subscriber(Deadline deadline) {
        JedisException last = new JedisException("no node of the cluster is known");
        for (HostAndPort node : topology.primaries()) {
            try {
                return nodes.at(node).dedicated(deadline);
            } catch (JedisException e) {
                last = e;
            }
        }
        topology.changed();
        throw last;
    }

    @Override
    public <T> Map<String, T> each(Question<T> question, Deadline deadline) {
        Duration patience = Duration.ofMillis(deadline.millisLeft());
        topology.renew(deadline);
        Map<String, T> answers = new TreeMap<>();
        for (HostAndPort node : topology.primaries()) {
            answers.put(node.toString(), SingleServer.ask(nodes.at(node), question, Deadline.in(patience)));
        }
        return answers;
    }

    @Override
    public void close() {
        topology.close();
        nodes.close();
    }
}
