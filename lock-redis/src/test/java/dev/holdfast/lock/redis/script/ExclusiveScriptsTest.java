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
 * the exclusive lock is notified, and its claim window begins; and a lock of which shares are out tells when such a command came.
 */
class ExclusiveScriptsTest {

    @Test
    void scripts_ofTheExclusiveLock_areTheMeasuredOnes() {
        assertThat(hashes(Script::standalone))
                .isEqualTo(Map.of(
                        "ACQUIRE", "d2dcc89583f037ad7523b9b6353c5ff5a5140000",
                        "RENEW", "b3629df595a65b03c369c92e1e32a739fb1c756b",
                        "RELEASE", "9d8a079d58de95df8f7f584a36600f775ae14c7e",
                        "HANDOFF", "6bb1ba81910726dc34d9c489aacfc95420435d8c",
                        "LOCK_SET", "c60545f25cd6e5ee637d3cb7af6112a67b1a9ffd"));
        assertThat(hashes(Script::underTerm))
                .isEqualTo(Map.of(
                        "ACQUIRE", "ade4100a09764c01d3e04001eaa7b702e0499448",
                        "RENEW", "04fd9a87cdf8bb45eeaccde8bd34acad9f36c27c",
                        "RELEASE", "7badf11dc65f29f3bf328b58d6aaa2953a2ce920",
                        "HANDOFF", "b7e3f5bc96d1618832e5540664a849a4034f1ddd",
                        "LOCK_SET", "3bd5268a5086b1377a14aa2c090d7e2afbedb30c"));
    }

    private static Map<String, String> hashes(Function<Script, Script.Source> variant) {
        Map<String, String> hashes = new TreeMap<>();
        List.of(Script.ACQUIRE, Script.RENEW, Script.RELEASE, Script.HANDOFF, Script.LOCK_SET)
                .forEach(script ->
                        hashes.put(script.name(), variant.apply(script).sha()));
        return hashes;
    }
}
