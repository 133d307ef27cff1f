package dev.holdfast.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;

/** In which order five sentinels are asked, of which some are dead, and how long each is waited for. */
class RosterTest {

    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofSeconds(3);

    private final List<HostAndPort> all =
            List.of(sentinel("a"), sentinel("b"), sentinel("c"), sentinel("d"), sentinel("e"));
    private final Roster roster = new Roster(all, LEAST, MOST);

    @Test
    void inTheFirstRoundAllAreAskedInTheirOrder() {
        assertThat(round(Set.of("a", "b"))).containsExactly("a 3", "b 3", "c 3", "d 1", "e 1");
    }

    @Test
    void thoseThatAnsweredLastComeFirstAndOneOfTheDeadAfterThem() {
        round(Set.of("a", "b"));

        assertThat(round(Set.of("a", "b"))).containsExactly("c 1", "d 1", "e 1", "a 1");
        assertThat(round(Set.of("a", "b"))).containsExactly("c 1", "d 1", "e 1", "b 1");
        assertThat(round(Set.of("a", "b"))).containsExactly("c 1", "d 1", "e 1", "a 1");
    }

    @Test
    void deadOnesThatComeBackAreAllHeardInOneRound() {
        round(Set.of("a", "b"));

        assertThat(round(Set.of())).containsExactly("c 1", "d 1", "e 1", "a 1", "b 1");
        assertThat(round(Set.of())).containsExactly("c 1", "d 1", "e 1", "a 1", "b 1");
    }

    @Test
    void whileNoneAnswersAllAreAskedAndHaveMoreTimeEachTime() {
        round(Set.of());
        round(Set.of());
        Set<String> dead = Set.of("a", "b", "c", "d", "e");

        assertThat(round(dead)).containsExactly("a 1", "b 1", "c 1", "d 1", "e 1");
        assertThat(round(dead)).containsExactly("a 2", "b 2", "c 2", "d 2", "e 2");
        assertThat(round(dead)).containsExactly("a 3", "b 3", "c 3", "d 3", "e 3");
        assertThat(round(Set.of("a", "c", "d", "e"))).containsExactly("a 3", "b 3");
        assertThat(round(Set.of("a", "c", "d", "e"))).containsExactly("b 1", "c 1");
    }

    @Test
    void oneThatKnowsNoSuchMasterEndsNoRound() {
        round(Set.of("b", "c", "d", "e"));

        roster.begin();
        assertThat(roster.next()).contains(sentinel("a"));
        roster.answered(Duration.ZERO, false);
        assertThat(rest(Set.of("b", "c", "d")))
                .extracting(each -> each.substring(0, 1))
                .containsExactly("b", "c", "d", "e");
    }

    private List<String> round(Set<String> dead) {
        roster.begin();
        return rest(dead);
    }

    /** Those that are asked, each with the seconds for which it is waited. */
    private List<String> rest(Set<String> dead) {
        List<String> asked = new ArrayList<>();
        for (Optional<HostAndPort> next = roster.next(); next.isPresent(); next = roster.next()) {
            String sentinel = next.get().getHost();
            asked.add(sentinel + " " + roster.patience().toSeconds());
            if (dead.contains(sentinel)) {
                roster.missed();
            } else {
                roster.answered(Duration.ZERO, true);
            }
        }
        return asked;
    }

    private static HostAndPort sentinel(String host) {
        return new HostAndPort(host, 26_379);
    }
}
