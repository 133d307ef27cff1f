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
                        "ACQUIRE", "9e87de26b3da15365967c15955e9856d9ba7a49d",
                        "RENEW", "d38c337fe1472ba5106aa9062d89450546f99038",
                        "RELEASE", "2b7ddd7d8bca936b9abd376c4edd2315ef547d76",
                        "HANDOFF", "9f3f03ad93271e5c01daca9b763daa93b39e0c44"));
        assertThat(hashes(Script::underTerm))
                .isEqualTo(Map.of(
                        "ACQUIRE", "53372d1390a97cb3fb0f3ca25f6e4731bb9b450a",
                        "RENEW", "6ef41e28a49dd8ac20187317d91d2004d89a141a",
                        "RELEASE", "10f0eff146c02e220538a176ff56025912f8572d",
                        "HANDOFF", "bf27a5f2164e95c82b2c6df1af75a26e060da566"));
    }

    private static Map<String, String> hashes(Function<Script, Script.Source> variant) {
        Map<String, String> hashes = new TreeMap<>();
        List.of(Script.ACQUIRE, Script.RENEW, Script.RELEASE, Script.HANDOFF)
                .forEach(script ->
                        hashes.put(script.name(), variant.apply(script).sha()));
        return hashes;
    }
}
