package dev.holdfast.lock.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;

/** The slots of nodes that do not know the host of themselves or of others. */
class SlotMapTest {

    private static final HostAndPort ASKED = new HostAndPort("asked", 7_000);
    private static final HostAndPort OTHER = new HostAndPort("other", 7_001);

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "?"})
    void slots_ofNodeWithoutHost_areOfTheAskedNode(@Nullable String host) {
        SlotMap slots = new SlotMap(List.of(range(0, 10, host, 7_000), range(11, 20, "other", 7_001)), ASKED);

        assertThat(slots.node(10)).isEqualTo(ASKED);
        assertThat(slots.node(11)).isEqualTo(OTHER);
        assertThat(slots.primaries()).containsExactlyInAnyOrder(ASKED, OTHER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?"})
    void redirection_withoutHost_staysOnTheHost(String host) {
        SlotMap slots = new SlotMap(List.of(range(0, 20, "other", 7_001)), ASKED);
        HostAndPort target = new HostAndPort(host, 7_002);

        assertThat(slots.resolve(target, 5)).isEqualTo(new HostAndPort("other", 7_002));
        slots.move(5, target);

        assertThat(slots.node(5)).isEqualTo(new HostAndPort("other", 7_002));
        assertThat(slots.node(6)).isEqualTo(OTHER);
    }

    @Test
    void redirection_withHost_goesThere() {
        SlotMap slots = new SlotMap(List.of(range(0, 20, "other", 7_001)), ASKED);

        assertThat(slots.resolve(ASKED, 5)).isEqualTo(ASKED);
        slots.move(5, ASKED);

        assertThat(slots.node(5)).isEqualTo(ASKED);
    }

    @Test
    void slots_ofNodeOutsideCluster_areEmpty() {
        assertThat(new SlotMap(List.of(), ASKED).isEmpty()).isTrue();
        assertThat(new SlotMap(List.of(range(3, 3, "other", 7_001)), ASKED).isEmpty())
                .isFalse();
    }

    /** As CLUSTER SLOTS is answered. */
    private static List<?> range(long from, long to, @Nullable String host, long port) {
        byte[] bytes = host == null ? null : host.getBytes(StandardCharsets.UTF_8);
        return List.of(from, to, Arrays.asList(bytes, port, "id".getBytes(StandardCharsets.UTF_8)));
    }
}
