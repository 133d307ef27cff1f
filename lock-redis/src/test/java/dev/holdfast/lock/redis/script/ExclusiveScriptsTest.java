package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * What commands for the exclusive lock cost was measured with these scripts. A change of one is intended, or it is a mistake.
 *
 * <p>For shares the scripts differ from earlier ones beside waiters only: a waiter for a share which becomes due by a command for
 * the exclusive lock is notified, and its claim window begins.
 */
class ExclusiveScriptsTest {

    @Test
    void scripts_ofTheExclusiveLock_areTheMeasuredOnes() {
        assertThat(hashes(Script::standalone))
                .isEqualTo(Map.of(
                        "ACQUIRE", "a1848751954e240a63feee50383f0fede94caa20",
                        "RENEW", "b3629df595a65b03c369c92e1e32a739fb1c756b",
                        "RELEASE", "b722a7a279fcee10c11f0223dd8cdfe55e4ed12d",
                        "HANDOFF", "004eb929e106e464e32ca5eb7056da018e8ab10d",
                        "LOCK_SET", "529ed66214744fe93b2f0fd186a93e608f079ce4"));
        assertThat(hashes(Script::underTerm))
                .isEqualTo(Map.of(
                        "ACQUIRE", "d137d032d6a24d7a165baefd27466e054438b648",
                        "RENEW", "04fd9a87cdf8bb45eeaccde8bd34acad9f36c27c",
                        "RELEASE", "7f9abea528a8209c6addb75d1ec10c94f2673cfa",
                        "HANDOFF", "a1f9338634eb2446a8f68b3ef68f26c077b28111",
                        "LOCK_SET", "75527e446d9d761c77e1f63ad2b364e6f3441d24"));
    }

    private static Map<String, String> hashes(Function<Script, Script.Source> variant) {
        Map<String, String> hashes = new TreeMap<>();
        List.of(Script.ACQUIRE, Script.RENEW, Script.RELEASE, Script.HANDOFF, Script.LOCK_SET)
                .forEach(script ->
                        hashes.put(script.name(), variant.apply(script).sha()));
        return hashes;
    }
}
