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
                        "ACQUIRE", "8f5ddd5d09d03aebf429b431124c58edcf29cf05",
                        "RENEW", "b3629df595a65b03c369c92e1e32a739fb1c756b",
                        "RELEASE", "fffc72b0e30bbf649be6599fecd9ffcedcc644d0",
                        "HANDOFF", "b133865e3410a7826a3740cb9cd10ed2ada6d369",
                        "LOCK_SET", "529ed66214744fe93b2f0fd186a93e608f079ce4"));
        assertThat(hashes(Script::underTerm))
                .isEqualTo(Map.of(
                        "ACQUIRE", "07bcebce3f94841d25b580bedd866fe52e5e9797",
                        "RENEW", "04fd9a87cdf8bb45eeaccde8bd34acad9f36c27c",
                        "RELEASE", "74996e9f689cbbe73c77524e539d3c6e0b4e3698",
                        "HANDOFF", "4b121d3b7a453bf023feec82d2e6d5070eb650f1",
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
