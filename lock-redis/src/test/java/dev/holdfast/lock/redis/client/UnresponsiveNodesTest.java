package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

/** When a node counts as unresponsive. Times are in milliseconds. */
class UnresponsiveNodesTest {

    private static final HostAndPort NODE = new HostAndPort("node", 7_000);
    private static final HostAndPort OTHER = new HostAndPort("other", 7_000);

    private final UnresponsiveNodes nodes = new UnresponsiveNodes();

    @Test
    void node_afterOneLongWait_isUnresponsive() {
        assertThat(isUnresponsiveAfter(NODE, 0, 499)).isFalse();
        assertThat(isUnresponsiveAfter(OTHER, 0, 500)).isTrue();
    }

    @Test
    void node_afterManyShortWaits_isUnresponsive() {
        assertThat(isUnresponsiveAfter(NODE, 0, 10)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 300, 310)).isFalse();
        assertThat(isUnresponsiveAfter(OTHER, 490, 500)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 490, 500)).isTrue();
    }

    @Test
    void node_afterShortWaitsFarApart_isResponsive() {
        assertThat(isUnresponsiveAfter(NODE, 0, 10)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 600_000, 600_010)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 600_490, 600_500)).isTrue();
    }

    @Test
    void node_afterOverlappingWaits_isUnresponsive() {
        assertThat(isUnresponsiveAfter(NODE, 400, 410)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 0, 450)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 440, 500)).isTrue();
    }

    @Test
    void node_afterReply_isResponsive() {
        assertThat(isUnresponsiveAfter(NODE, 0, 490)).isFalse();
        nodes.recordReply(NODE, TimeUnit.MILLISECONDS.toNanos(490));
        assertThat(isUnresponsiveAfter(NODE, 495, 505)).isFalse();
    }

    @Test
    void waitBeforeReply_ofConcurrentCall_doesNotCount() {
        nodes.recordReply(NODE, TimeUnit.MILLISECONDS.toNanos(400));

        assertThat(isUnresponsiveAfter(NODE, 0, 600)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 100, 899)).isFalse();
        assertThat(isUnresponsiveAfter(NODE, 100, 900)).isTrue();
    }

    private boolean isUnresponsiveAfter(HostAndPort node, long since, long now) {
        nodes.recordTimeout(node, TimeUnit.MILLISECONDS.toNanos(since), TimeUnit.MILLISECONDS.toNanos(now));
        return nodes.contains(node);
    }
}
