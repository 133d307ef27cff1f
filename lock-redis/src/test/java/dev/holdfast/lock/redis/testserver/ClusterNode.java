package dev.holdfast.lock.redis.testserver;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import redis.clients.jedis.Protocol.Command;

/**
 * A node of a cluster, as a node sees it.
 *
 * @param master the id of the one that it follows, if it is a replica
 * @param slots the ranges it serves, such as {@code 0-5460} or {@code 7}; none if it is a replica
 */
record ClusterNode(String id, int port, Set<String> flags, String master, List<String> slots) {

    /** All nodes, as this one sees them; none if it is down. */
    static List<ClusterNode> seenBy(RedisServer server) {
        return ServerQuery.tryAsk(server, Command.CLUSTER, "NODES").stream()
                .flatMap(answer -> ((String) answer).lines())
                .map(ClusterNode::parse)
                .toList();
    }

    /** {@code id ip:port@bus flags master ping pong epoch link slots…}; slots on the move are in brackets. */
    private static ClusterNode parse(String line) {
        List<String> words = Arrays.asList(line.split(" ", -1));
        String address = words.get(1);
        return new ClusterNode(
                words.get(0),
                Integer.parseInt(address.substring(address.indexOf(':') + 1, address.indexOf('@'))),
                Set.of(words.get(2).split(",", -1)),
                words.get(3),
                words.stream().skip(8).filter(word -> !word.startsWith("[")).toList());
    }

    boolean isMyself() {
        return flags.contains("myself");
    }

    boolean isReplica() {
        return flags.contains("slave");
    }

    boolean isInDoubt() {
        return flags.contains("handshake") || flags.contains("fail?") || flags.contains("noaddr");
    }

    boolean serves(int slot) {
        return slots.stream().anyMatch(range -> {
            int[] ends = Arrays.stream(range.split("-", -1))
                    .mapToInt(Integer::parseInt)
                    .toArray();
            return IntStream.of(ends).min().getAsInt() <= slot
                    && slot <= IntStream.of(ends).max().getAsInt();
        });
    }
}
