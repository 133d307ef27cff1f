package dev.holdfast.lock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.spring.stores.TestStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** {@link LockRegistryLeaderInitiator} with the registry, on real stores. */
@Tag("second-build")
@ParameterizedClass
@EnumSource
class LeaderTest {

    private final Properties configuration;
    private final History history = new History();

    LeaderTest(TestStore store) {
        configuration = store.newNamespace();
    }

    @Test
    void leader_thatYieldsOrStops_isFollowedByTheOther() {
        try (LeaderNode first = new LeaderNode("first", configuration, history)) {
            Await.until("the first leads", first::leads);
            try (LeaderNode second = new LeaderNode("second", configuration, history)) {
                Await.until("the second leads", () -> {
                    if (first.leads()) {
                        first.yieldLeadership(); // and may be the first to try again
                    }
                    return second.leads();
                });
                Await.until("the first is revoked", first::isRevoked);

                second.stop();
                Await.until("the first leads again", first::leads);
                assertThat(second.isRevoked()).isTrue();
            }
        }
        history.verify(3);
    }
}
