package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.lock.memory.MemorySpace;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.testing.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/**
 * Random batches are answered as the memory store answers them, and leave the keys that they leave command by command. Each guard of
 * the script of sets is needed for that.
 */
class LockSetFuzzTest {

    private static final int SEEDS = 4;
    private static final int BATCHES = 25;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration CALL = Duration.ofMinutes(1);

    private static RedisServer server;
    private static RedisClient client;
    private static int namespaces;

    /** A guard of the script, and the script without it. */
    enum Guard {
        FREE("not (values[at] or values[count + at]", "not (values[count + at]"),
        RESERVATION("values[at] or values[count + at] or", "values[at] or"),
        TOMBSTONE(" or values[2 * count + at])", ")"),
        ABSENT_AT_WRITE(", length, 'NX')", ", length)"),
        WRITTEN("if written and not written.err then", "if true then"),
        FLOOR("if floor ~= '0' then", "if false then"),
        RISING("last = math.max(last + 1, least)", "last = math.max(last, least)"),
        COUNTED("redis.pcall('SET', token_key, new_counter).err", "nil"),
        HOLDER("'h ' .. ARGV[4 + at] .. ' ', 1, true) == 1 then", "'h ', 1, true) == 1 then"),
        HELD(
                "string.find(lock, 'h ' .. ARGV[4 + at] .. ' ', 1, true) == 1 then",
                "string.find(lock, ' ' .. ARGV[4 + at] .. ' ', 1, true) then"),
        WAITERS("lock and not values[count + at]\n", "lock\n"),
        RELEASE("at > acquires and lock and", "lock and");

        private final String with;
        private final String without;

        Guard(String with, String without) {
            this.with = with;
            this.without = without;
        }

        String drop(String text) {
            return text.contains("'decided'") ? text.replace(with, without) : text;
        }
    }

    @BeforeAll
    static void start() {
        server = RedisServer.own("appendonly no");
        client = server.client();
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void batches_inAnyOrder_areDecidedAsCommandByCommand(boolean isUnderTerm) {
        AtomicInteger together = new AtomicInteger();
        Seeds.runSome(SEEDS, seed -> {
            Story story = new Story(seed, isUnderTerm, UnaryOperator.identity());
            story.run();
            together.accumulateAndGet(story.batches.mostAcquiresOfASet(), Math::max);
        });
        assertThat(together.get()).as("the most acquires in a set").isGreaterThan(2);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void batches_withoutGuard_areDecidedOtherwise(Guard guard) {
        String text = Script.LOCK_SET.standalone().text();
        assertThat(guard.drop(text)).as("the script has the guard").isNotEqualTo(text);
        for (int seed = 0; seed < 100; seed++) {
            run(seed, UnaryOperator.identity()); // what fails without the guard does so for that reason
            if (isFound(seed, guard)) {
                return;
            }
        }
        fail("a hundred stories without the guard %s found nothing", guard);
    }

    private static void run(long seed, UnaryOperator<String> change) {
        new Story(seed, seed % 2 == 1, change).run();
    }

    private static boolean isFound(long seed, Guard guard) {
        try {
            run(seed, guard::drop);
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }

    @Test
    void acquires_whenClockIsBeyondTheLastToken_haveOneLeft() {
        VirtualScripts scripts = new VirtualScripts(client, new Namespace("far"), false, UnaryOperator.identity());
        VirtualScripts.setClock(client, Instant.parse("2300-01-01T00:00:00Z"));

        List<LockReply> replies = scripts.execute(List.of(acquire("one"), acquire("two")));

        assertThat(((LockReply.Granted) replies.get(0)).token()).isEqualTo(LockReply.Granted.MAX_TOKEN);
        assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
        assertThat(scripts.lastToken()).isEqualTo(LockReply.Granted.MAX_TOKEN);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void set_whenServerRefusesTheCounter_leavesAcquires(boolean isUnderTerm) {
        String write = "'SET', token_key, new_counter";
        VirtualScripts scripts = new VirtualScripts(
                client,
                new Namespace("refused-" + isUnderTerm),
                isUnderTerm,
                text -> text.contains("'decided'")
                        ? text.replace(write, write + ", 'not an option'")
                        : "return 'busy 1 by a script of its own'");
        VirtualScripts.setClock(client, Instant.parse("2026-01-01T00:00:00Z"));

        assertThat(scripts.execute(List.of(acquire("one"), acquire("two"))))
                .hasOnlyElementsOfType(LockReply.Busy.class);
        assertThat(scripts.state()).isEmpty();
    }

    private static LockCommand acquire(String name) {
        return new LockCommand.Acquire(new LockName(name), new AcquisitionId(1, 1), HOUR, false, 0, "a test");
    }

    /** One random sequence of batches. */
    private static final class Story {

        private static final int NAMES = 8;
        private static final int IDS = 5;

        private final Random random;
        private final VirtualScripts batches;
        private final VirtualScripts singles;
        private final LockStore model;
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");
        private final Map<List<Object>, Long> tokens = new HashMap<>();
        private final Set<LockName> foreign = new HashSet<>();
        private final Set<String> handedOff = new HashSet<>();
        private final List<String> told = new ArrayList<>();

        Story(long seed, boolean isUnderTerm, UnaryOperator<String> change) {
            random = new Random(seed);
            String name = "n" + namespaces++;
            batches = new VirtualScripts(client, new Namespace(name + "-batches"), isUnderTerm, change);
            singles = new VirtualScripts(client, new Namespace(name + "-singles"), isUnderTerm, change);
            model = new MemorySpace(() -> now).open();
        }

        void run() {
            for (int at = 0; at < BATCHES; at++) {
                step();
                spoil();
                List<LockCommand> commands = batch();
                told.add("at " + now + ": " + commands);
                long last = batches.lastToken();
                List<LockReply> replies = batches.execute(commands);
                List<LockReply> expected = new ArrayList<>();
                commands.forEach(each -> expected.addAll(singles.execute(List.of(each))));
                compare(commands, replies, expected, last);
                noteHandOffs(commands);
                assertThat(withoutHandOffs(batches.state()))
                        .as("the keys after " + story())
                        .isEqualTo(withoutHandOffs(singles.state()));
            }
        }

        /** A waiter whose acquire follows the release in the same call is not notified: see handoff.lua. */
        private void noteHandOffs(List<LockCommand> commands) {
            for (int at = 1; at < commands.size(); at++) {
                LockCommand second = commands.get(at);
                if (commands.get(at - 1) instanceof LockCommand.Release first
                        && second instanceof LockCommand.Acquire
                        && first.name().equals(second.name())) {
                    handedOff.add(
                            "notified " + second.id() + " " + second.name().value());
                }
            }
        }

        private <T> Map<String, T> withoutHandOffs(Map<String, T> state) {
            Map<String, T> others = new TreeMap<>(state);
            others.keySet().removeAll(handedOff);
            return others;
        }

        private void step() {
            now = now.plusMillis(List.of(0, 0, 1, 700, 2_000, 16_000).get(random.nextInt(6)));
            VirtualScripts.setClock(client, now);
        }

        /** Now and then a foreign value in the place of a lock. */
        private void spoil() {
            if (random.nextInt(10) == 0) {
                LockName name = new LockName("foreign-" + foreign.size());
                for (VirtualScripts each : List.of(batches, singles)) {
                    if (foreign.size() % 2 == 0) {
                        each.putHash("lock:" + name.value());
                    } else {
                        each.put("lock:" + name.value(), "a foreign value");
                    }
                }
                foreign.add(name);
            }
        }

        private List<LockCommand> batch() {
            List<LockCommand> commands = new ArrayList<>();
            for (int left = 1 + random.nextInt(12); left > 0; left--) {
                commands.add(command());
            }
            return commands;
        }

        private LockCommand command() {
            int number = random.nextInt(NAMES + foreign.size());
            LockName name = new LockName(number < NAMES ? "lock-" + number : "foreign-" + (number - NAMES));
            AcquisitionId id = new AcquisitionId(number, random.nextInt(IDS));
            long micros = batches.lastToken();
            return switch (random.nextInt(12)) {
                case 0, 1, 2, 3, 4 ->
                    new LockCommand.Acquire(
                            name,
                            id,
                            HOUR.multipliedBy(random.nextInt(4) == 0 ? 3 : 2),
                            random.nextInt(3) == 0,
                            random.nextInt(4) == 0 ? Math.max(0, micros - 3 + random.nextInt(8)) : 0,
                            random.nextInt(4) == 0 ? "another" : "a test");
                case 5, 6, 7, 8, 9 -> new LockCommand.Release(name, id, minimumHold(), tombstone());
                default -> new LockCommand.Renew(name, id, HOUR.multipliedBy(2 + random.nextInt(3)));
            };
        }

        private Duration minimumHold() {
            return random.nextInt(6) == 0 ? HOUR.multipliedBy(5) : Duration.ZERO;
        }

        private Duration tombstone() {
            return random.nextInt(5) == 0 ? HOUR.multipliedBy(6) : Duration.ZERO;
        }

        private void compare(List<LockCommand> commands, List<LockReply> replies, List<LockReply> expected, long last) {
            Set<Long> granted = new HashSet<>();
            for (int at = 0; at < commands.size(); at++) {
                LockCommand command = commands.get(at);
                LockReply reply = replies.get(at);
                assertThat(kind(reply))
                        .as("the reply to " + command + " of " + story())
                        .isEqualTo(kind(expected.get(at)));
                if (!foreign.contains(command.name())) {
                    LockReply byModel = model.execute(List.of(command), CALL).get(0);
                    assertThat(kind(reply))
                            .as("the reply to " + command + " of " + story())
                            .isEqualTo(kind(byModel));
                }
                if (reply instanceof LockReply.Granted grant) {
                    checkToken(command, (LockReply.Granted) expected.get(at), grant, last, granted);
                }
            }
            long greatest = granted.stream().mapToLong(each -> each).max().orElse(last);
            if (replies.stream().anyMatch(LockReply.Unavailable.class::isInstance)) {
                // the token of a lock with a foreign value may be skipped
                assertThat(batches.lastToken())
                        .as("the counter after " + story())
                        .isGreaterThanOrEqualTo(greatest);
            } else {
                assertThat(batches.lastToken())
                        .as("the counter after " + story())
                        .isEqualTo(greatest);
            }
        }

        /** A token is greater than all before, or that of the grant; in the same way in both namespaces. */
        private void checkToken(
                LockCommand command,
                LockReply.Granted expected,
                LockReply.Granted grant,
                long last,
                Set<Long> granted) {
            // of the same grant there, whose token is another
            Long known = tokens.putIfAbsent(List.of(command.name(), expected.token()), grant.token());
            if (known != null) {
                assertThat(grant.token())
                        .as("the token again for " + command + " of " + story())
                        .isEqualTo(known);
                return;
            }
            assertThat(grant.token())
                    .as("the token for " + command + " of " + story())
                    .isGreaterThan(last);
            assertThat(granted.add(grant.token()))
                    .as("the token for " + command + " is new in " + story())
                    .isTrue();
            if (command instanceof LockCommand.Acquire acquire) {
                assertThat(grant.token()).as("the token for " + command).isGreaterThan(acquire.tokenFloor());
            }
            assertThat(grant.remaining().toHours())
                    .isEqualTo(expected.remaining().toHours());
        }

        /** The reply without token and times. */
        private static Object kind(LockReply reply) {
            return reply instanceof LockReply.Released ? reply : reply.getClass();
        }

        private String story() {
            return String.join("\n", told);
        }
    }
}
