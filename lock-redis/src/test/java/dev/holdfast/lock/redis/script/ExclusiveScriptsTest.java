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
                        "ACQUIRE", "d93fac50f7b98f7c1cb4b415e570127d9ab8f35c",
                        "RENEW", "b3629df595a65b03c369c92e1e32a739fb1c756b",
                        "RELEASE", "2b7ddd7d8bca936b9abd376c4edd2315ef547d76",
                        "HANDOFF", "288490c99f4c2ee094ca91d53c6b765ad6eeb10c",
                        "LOCK_SET", "529ed66214744fe93b2f0fd186a93e608f079ce4"));
        assertThat(hashes(Script::underTerm))
                .isEqualTo(Map.of(
                        "ACQUIRE", "88967dd8721ebfa3dd68c79767f5683f4c085500",
                        "RENEW", "04fd9a87cdf8bb45eeaccde8bd34acad9f36c27c",
                        "RELEASE", "10f0eff146c02e220538a176ff56025912f8572d",
                        "HANDOFF", "946da88b9456f146d55fd1dfd6b52e8a83ae48ce",
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
