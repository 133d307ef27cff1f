package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Waiting, not waiting, and one run out of many. */
abstract class Contention extends Runs {

    /** Nobody crashes here: what a busy machine delays must not become an outage, nor a lost lease. */
    static final String PATIENT = "lock.lease=10m\nlock.call-timeout=1m\n";

    /** How often each shell counts: each time is the start of a Java. */
    private static final int TIMES = 3 * Integer.getInteger("lock.test.scale", 1);

    @Test
    void aBusyLockIs75OnceTheWaitIsOverOr0WithSkip() throws Exception {
        Path held = folder.resolve("held");
        Launched holder = started("a", "--", "sh", "-c", "echo >" + held + "; exec sleep 1000");
        Await.lines(held, 1);

        Launched atOnce = started("--wait", "0s", "a", "--", "echo", "never");
        Launched waiting = started("--wait", "5s", "a", "--", "echo", "never");
        Launched skipping = started("--wait", "0s", "--if-busy", "skip", "a", "--", "echo", "never");
        Launched skippingWithoutWait = started("--if-busy", "skip", "a", "--", "echo", "never");
        Launched other = started("--wait", "0s", "A", "--", "echo", "another name");

        assertThat(atOnce.status()).isEqualTo(75);
        assertThat(atOnce.err()).startsWith("lock: ").contains("'a'").hasLineCount(1);
        assertThat(waiting.status()).isEqualTo(75);
        assertThat(skipping.status()).isZero();
        assertThat(skippingWithoutWait.status()).isZero();
        for (Launched refused : List.of(atOnce, waiting, skipping, skippingWithoutWait)) {
            assertThat(refused.out()).isEmpty();
        }
        assertThat(other.out()).isEqualTo("another name\n");

        holder.send("TERM");
        assertThat(holder.status()).isEqualTo(143);
        assertThat(started("--wait", "0s", "a", "--", "true").status()).isZero();
    }

    @Test
    void ofFourWithAMinimumHoldOneRunsAndAllSucceed() throws Exception {
        Path ran = folder.resolve("ran");
        List<Launched> runs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            runs.add(started(
                    "--wait", "0s", "--if-busy", "skip", "--at-least", "1h", "a", "--", "sh", "-c", "echo >>" + ran));
        }

        for (Launched run : runs) {
            assertThat(run.status()).isZero();
        }
        assertThat(Files.readAllLines(ran)).hasSize(1);
    }

    @Test
    void insideARunOnAnotherStoreTheInnerCommandRuns() throws Exception {
        Path other =
                Files.writeString(folder.resolve("other.properties"), SqliteRuns.sqlite(folder.resolve("other.db")));
        List<String> words = new ArrayList<>(List.of("a", "--"));
        words.addAll(Launched.java(folder));
        words.addAll(List.of("run", "--config", other.toString(), "b", "--", "echo", "ok"));

        Launched run = started(words.toArray(String[]::new));

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("ok\n");
    }

    @Test
    void fourShellsCountTogether() throws Exception {
        Path counter = Files.writeString(folder.resolve("counter"), "0\n");
        Path shell = Files.writeString(folder.resolve("shell.sh"), """
                i=0
                while [ $i -lt "$TIMES" ]; do
                    "$@" run --config "$CONFIG" counter -- sh -c 'read n <"$1"; sleep 0.05; echo $((n + 1)) >"$1"' sh "$COUNTER" || exit
                    i=$((i + 1))
                done
                """);
        List<Launched> shells = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<String> words = new ArrayList<>(List.of("sh", shell.toString()));
            words.addAll(Launched.java(folder));
            ProcessBuilder builder = new ProcessBuilder(words);
            builder.environment().put("CONFIG", config.toString());
            builder.environment().put("COUNTER", counter.toString());
            builder.environment().put("TIMES", Integer.toString(TIMES));
            shells.add(start(builder));
        }

        for (Launched one : shells) {
            assertThat(one.status()).as(one.err()).isZero();
        }
        assertThat(Files.readString(counter)).isEqualTo(4 * TIMES + "\n");
    }
}
