package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.RedisClient;

/** Random commands for shares and for the exclusive lock of one name are decided as {@link ShareModel} decides them. */
class ShareFuzzTest {

    private static final int SEEDS = 8 * Integer.getInteger("lock.test.scale", 1);
    private static final int STEPS = 60;
    private static final LockName NAME = new LockName("job");
    private static final long LONG = 60_000;

    private static RedisServer server;
    private static RedisClient client;

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

    @Test
    void commands_forSharesAndTheExclusiveLock_areDecidedAsTheModelDecidesThem() {
        for (int at = 0; at < SEEDS; at++) {
            long random = ThreadLocalRandom.current().nextLong();
            long seed = Long.getLong("lock.test.seed", at % 2 == 0 ? at : random);
            try {
                new Story(seed, UnaryOperator.identity()).run();
            } catch (AssertionError e) {
                e.addSuppressed(new AssertionError("again with -Dlock.test.seed=" + seed));
                throw e;
            }
        }
    }

    /** A guard of the scripts, and the scripts without it. */
    enum Guard {
        FITS_BESIDE_THOSE_OUT("out + permits <= math.min(least, limit)\nlocal token", "true\nlocal token"),
        LEAST_LIMIT("elseif limit < least then\nleast, count", "elseif count == 0 then\nleast, count"),
        NEXT_LEAST_LIMIT("if count == 0 then", "if false then"),
        OWN_END(
                "redis.call('ZADD', ends_key, whole(until_ms), id)",
                "redis.call('ZADD', ends_key, whole(until_ms), id, whole(until_ms), (redis.call('ZRANGE', ends_key, 0, 0)[1]))"),
        EXPIRED_ENDS("expired = end_expired(now)", "expired = nil"),
        EXPIRED_AT_RELEASE("since = end_expired(now) or now", "since = now"),
        LAST_END("'PXAT', whole(last))", "'PX', 1000)"),
        RENEWED_END("if until_ms > last then", "if false then"),
        EXTENDED_ONLY("until_ms = math.max(until_ms, now + length)", "until_ms = now + length"),
        GONE_WHEN_ENDED("if not until_ms or until_ms <= now then", "if not until_ms then"),
        HELD_NOT_KEPT(
                "local held = share and string.sub(share, 1, 2) == 'h '\n\nlocal function end_own_share()\nlocal kept_until = math.ceil((math.min(us, string.match(share, '^h",
                "local held = share\n\nlocal function end_own_share()\nlocal kept_until = math.ceil((math.min(us, string.match(share, '^%a"),
        GONE_WHEN_KEPT("string.match(share, '^h (%d+) ')\nlocal left", "string.match(share, '^%a (%d+) ')\nlocal left"),
        TOMBSTONE(
                "expired = end_expired(now)\nend\nif tombstone then", "expired = end_expired(now)\nend\nif false then"),
        KEPT("if minimum_hold > 0 and kept_until > now then", "if false then"),
        EXCLUSIVE_LEASE("local fits = not is_exclusive and out", "local fits = out"),
        WAITERS_BEFORE(
                "head, since, dropped, fits = first_due(now, since, lock, id, permits, limit)",
                "head, since, dropped = first_due(now, since, lock, id, permits, limit)"),
        LAST_WAITER("if asked_permits and not blocked and not admitted then", "if asked_permits and not admitted then"),
        CLAIM_WINDOW_OF_EXCLUSIVE(
                "if not lock and not fits and head and head ~= id and now >= since + CLAIM_WINDOW then",
                "if false then"),
        CLAIM_WINDOW("since + CLAIM_WINDOW - WAITER_TTL", "since"),
        DUE_SCORE("return last % 1 == 0.25", "return false"),
        DEAD("local alive = is_alive(last, now)", "local alive = last"),
        LATE_CLAIM("(id == asking or asking == RELEASE) and", "asking == RELEASE and"),
        LATE_AFTER_RELEASE("(id == asking or asking == RELEASE) and", "id == asking and"),
        LATE_WAITER_TTL("is_due(last) and is_alive(asked, now))", "is_due(last))"),
        DUE_SINCE_DROP("since, changed = now, now", "since = now"),
        NOTIFIED("due_since(start, last), id)\nnotify(id)", "due_since(start, last), id)"),
        MARKED_BY_EXCLUSIVE("and not is_share(last)) then", "or true) then"),
        OUT_AT_EXCLUSIVE_ACQUIRE("first_alive(now, since, lock)\nif not lock", "first_alive(now, since)\nif not lock"),
        OUT_AT_EXCLUSIVE_RELEASE(
                "first_alive(now, since, not free and lock, RELEASE)", "first_alive(now, since, nil, RELEASE)"),
        MARKED_BY_WITHDRAWAL("drop(id)\nfirst_alive(now, now, lock, RELEASE)", "drop(id)"),
        MARKED_BY_SHARE_WITHDRAWAL(
                "local next_head, since_next = first_due(now, now, lock, RELEASE)",
                "local next_head, since_next = redis.call('ZRANGE', queue_key, 0, 0)[1], now"),
        WAITS_FOR_SHARE("string.format('%.1f', now - 0.5)", "string.format('%.0f', now)"),
        SHARE_OF_WAITER(
                "return tonumber(permits or 1), tonumber(limit or 1), tonumber(asked)", "return 1, 1, tonumber(asked)"),
        KEEPS_PLACE(
                "if not is_alive(seen(id), now) or not redis.call('ZRANK', queue_key, id) then\ndrop(id)\nlocal last_place = redis.call('ZRANGE', queue_key, -1, -1, 'WITHSCORES')[2]\nredis.call('ZADD', queue_key, (tonumber(last_place) or 0) + 1, id)\nend\ndrop_dead(now)\nredis.call('ZADD', seen_key, string",
                "if true then\ndrop(id)\nlocal last_place = redis.call('ZRANGE', queue_key, -1, -1, 'WITHSCORES')[2]\nredis.call('ZADD', queue_key, (tonumber(last_place) or 0) + 1, id)\nend\ndrop_dead(now)\nredis.call('ZADD', seen_key, string"),
        LEAVES_THE_QUEUE(
                "leave_queue()\nend\nreturn 'granted ' .. token .. ' ' .. length\n",
                "end\nreturn 'granted ' .. token .. ' ' .. length\n"),
        RESERVED_UNTIL("store_reservation(until_ms or since_head)", "store_reservation(since_head)"),
        COUNTER("redis.call('SET', token_key, new_counter)\nredis.call('ZADD'", "redis.call('ZADD'");

        private final String with;
        private final String without;

        Guard(String with, String without) {
            this.with = with;
            this.without = without;
        }

        String drop(String text) {
            return text.replace(with, without);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource
    void commands_withoutGuard_areDecidedOtherwise(Guard guard) {
        assertThat(Script.SHARE_ACQUIRE.standalone().companions())
                .as("a script has the guard " + guard)
                .anyMatch(script -> !guard.drop(script.text()).equals(script.text()));
        assertThatThrownBy(() -> {
                    for (int seed = 0; seed < 200; seed++) {
                        new Story(seed, guard::drop).run();
                    }
                })
                .as("two hundred stories without the guard " + guard)
                .isInstanceOf(AssertionError.class);
    }

    /** One random sequence of commands, in virtual time. */
    private static final class Story {

        private static final int IDS = 8;

        private final Random random;
        private final SteppedScripts scripts;
        private final ShareModel model = new ShareModel();
        private final List<Share> shares = new ArrayList<>();
        private final Map<AcquisitionId, Long> tokens = new HashMap<>();
        private final List<String> told = new ArrayList<>();
        private long now = 1_800_000_000_000L;
        private long lastToken;

        Story(long seed, UnaryOperator<String> change) {
            random = new Random(seed);
            scripts = new SteppedScripts(client, seed % 2 == 1, change);
            List<Share> kinds = kinds();
            for (int id = 0; id < IDS; id++) {
                shares.add(kinds.get(random.nextInt(kinds.size())));
            }
        }

        private List<Share> kinds() {
            return switch (random.nextInt(4)) {
                case 0 -> List.of(Share.EXCLUSIVE, Share.shared(), Share.shared(), Share.shared());
                case 1 -> List.of(new Share(1, 3), new Share(1, 3), new Share(2, 3), new Share(3, 3));
                case 2 -> List.of(new Share(1, 2), new Share(1, 4), new Share(2, 4), Share.EXCLUSIVE);
                default -> List.of(Share.EXCLUSIVE, Share.shared(), new Share(1, 2), new Share(2, 5), new Share(5, 5));
            };
        }

        void run() {
            scripts.setClock(now);
            for (int at = 0; at < STEPS; at++) {
                pass(pick(0L, 0L, 1L, 300L, 700L, 1_999L, 2_000L, 5_000L, 16_000L));
                List<LockCommand> commands = new ArrayList<>(List.of(command()));
                if (commands.get(0) instanceof LockCommand.Release && random.nextBoolean()) {
                    commands.add(acquire());
                }
                carryOut(commands);
            }
            pass(10 * LONG);
            assertThat(model.isIdle()).as("all has ended").isTrue();
            scripts.shown(NAME); // drops what has expired
            assertThat(scripts.keys("lock", "reservation", "queue", "seen", "owners", "ends", "shares"))
                    .as("what is left after " + story())
                    .isEmpty();
        }

        @SafeVarargs
        private <T> T pick(T... values) {
            return values[random.nextInt(values.length)];
        }

        /** Time passes, and what ends meanwhile is noted when it ends, if others wait for it. */
        private void pass(long millis) {
            long until = now + millis;
            while (model.nextEnd() <= until) {
                now = model.nextEnd();
                scripts.setClock(now);
                told.add(now + ": something has ended");
                model.pass(now);
                if (model.waiters().isEmpty()) {
                    continue;
                }
                Set<AcquisitionId> newlyDue = Set.copyOf(model.newlyDue());
                LockCommand ended = new LockCommand.Release(
                        NAME, new AcquisitionId(9, 9), Duration.ZERO, Duration.ZERO, Share.shared());
                LockReply reply = scripts.execute(List.of(ended)).get(0);
                compare(ended, reply);
                // A waiter for the exclusive lock knows when that is free, and asks then.
                compareNotified(
                        model.waiters().stream()
                                .filter(each -> !each.share().isExclusive())
                                .map(ShareModel.Waiter::id)
                                .filter(newlyDue::contains)
                                .collect(Collectors.toSet()),
                        true);
                compareState();
            }
            now = until;
            scripts.setClock(now);
        }

        private LockCommand command() {
            int number = random.nextInt(IDS);
            AcquisitionId id = new AcquisitionId(1, number);
            return switch (random.nextInt(10)) {
                case 0, 1, 2, 3, 4 -> acquire();
                case 5 -> new LockCommand.Renew(NAME, id, length(), shares.get(number));
                default ->
                    new LockCommand.Release(
                            NAME,
                            id,
                            Duration.ofMillis(pick(0L, 0L, 0L, 4_000L)),
                            Duration.ofMillis(pick(0L, 0L, 0L, 7_000L)),
                            shares.get(number));
            };
        }

        private LockCommand acquire() {
            int number = random.nextInt(IDS);
            return new LockCommand.Acquire(
                    NAME,
                    new AcquisitionId(1, number),
                    length(),
                    random.nextInt(6) > 0,
                    random.nextInt(6) == 0 ? lastToken + random.nextInt(3) : 0,
                    "owner " + number,
                    shares.get(number));
        }

        private Duration length() {
            return Duration.ofMillis(pick(1_000L, 3_000L, 8_000L, LONG, LONG));
        }

        private void carryOut(List<LockCommand> commands) {
            List<LockReply> replies = scripts.execute(commands);
            told.add(now + ": " + commands + " -> " + replies);
            Set<AcquisitionId> newlyDue = new HashSet<>();
            for (int at = 0; at < commands.size(); at++) {
                compare(commands.get(at), replies.get(at));
                newlyDue.addAll(model.newlyDue());
                newlyDue.removeIf(id ->
                        model.waiters().stream().noneMatch(each -> each.id().equals(id)));
            }
            compareNotified(newlyDue, commands.size() == 1);
            compareState();
        }

        private void compare(LockCommand command, LockReply reply) {
            String what = "the reply " + reply + " to the last of " + story();
            if (reply instanceof LockReply.Unavailable unavailable) {
                throw new IllegalStateException(
                        what, unavailable.cause()); // a script that fails is no verdict on its guards
            }
            if (reply instanceof LockReply.Gone && model.expired.contains(command.id())) {
                model.newlyDue().clear();
                assertThat(model.out).as(what).noneMatch(lease -> lease.id().equals(command.id()));
            } else if (command instanceof LockCommand.Acquire acquire) {
                ShareModel.Answer answer = model.acquire(
                        acquire.id(), acquire.share(), acquire.lease().toMillis(), acquire.queue(), now);
                switch (answer) {
                    case GRANTED -> compareGrant(acquire, true, reply, what);
                    case HELD -> compareGrant(acquire, false, reply, what);
                    case GONE -> assertThat(reply).as(what).isEqualTo(new LockReply.Gone());
                    default ->
                        assertThat(reply)
                                .as(what)
                                .isInstanceOf(acquire.queue() ? LockReply.Queued.class : LockReply.Busy.class);
                }
            } else if (command instanceof LockCommand.Renew renew) {
                if (model.renew(renew.id(), renew.lease().toMillis(), now)) {
                    compareGrant(renew, false, reply, what);
                } else {
                    assertThat(reply).as(what).isEqualTo(new LockReply.Gone());
                }
            } else {
                LockCommand.Release release = (LockCommand.Release) command;
                ShareModel.Answer answer = model.release(
                        release.id(),
                        release.minimumHold().toMillis(),
                        release.tombstone().toMillis(),
                        now);
                assertThat(reply).as(what).isEqualTo(new LockReply.Released(answer == ShareModel.Answer.RELEASED));
            }
        }

        private void compareGrant(LockCommand command, boolean isNew, LockReply reply, String what) {
            ShareModel.Lease lease = model.out.stream()
                    .filter(each -> each.id().equals(command.id()))
                    .findFirst()
                    .orElseThrow();
            assertThat(reply).as(what).isInstanceOfSatisfying(LockReply.Granted.class, granted -> {
                assertThat(granted.remaining().toMillis()).as(what).isEqualTo(lease.until() - now);
                if (isNew) {
                    assertThat(granted.token()).as(what).isGreaterThan(lastToken);
                    lastToken = granted.token();
                    tokens.put(command.id(), granted.token());
                } else {
                    assertThat(granted.token()).as(what).isEqualTo(tokens.get(command.id()));
                }
            });
        }

        private void compareNotified(Set<AcquisitionId> newlyDue, boolean isOneCommand) {
            Set<AcquisitionId> notified = scripts.notified();
            assertThat(notified).as("notified after " + story()).containsAll(newlyDue);
            // The first waiter that is not due may have been notified of another time at which to ask.
            Set<AcquisitionId> others = new HashSet<>(notified);
            others.removeAll(newlyDue);
            model.waiters().stream().findFirst().ifPresent(first -> others.remove(first.id()));
            model.waiters().stream()
                    .filter(waiter -> !waiter.isDue())
                    .findFirst()
                    .ifPresent(first -> others.remove(first.id()));
            assertThat(!isOneCommand || others.isEmpty())
                    .as(others + " notified without need after " + story())
                    .isTrue();
        }

        /** Compares what list.lua shows. */
        private void compareState() {
            List<String> shown = scripts.shown(NAME);
            int firstWaiter = 4 + 3 * Integer.parseInt(shown.get(3));
            Set<String> out = new HashSet<>();
            for (int at = 4; at < firstWaiter; at += 3) {
                String[] words = shown.get(at + 2).split(" ", 6);
                out.add(shown.get(at) + " " + words[0] + " " + words[2] + " of " + words[3] + " until "
                        + shown.get(at + 1));
            }
            String lock = shown.get(0);
            if (!lock.isEmpty() && !lock.startsWith("s ")) {
                String[] words = lock.split(" ", 5);
                out.add(words[1] + " " + words[0] + " 1 of 1 until " + (now + Long.parseLong(shown.get(1))));
            }
            Set<String> expected = new HashSet<>();
            model.out.forEach(lease -> expected.add(lease.id() + (lease.isHeld() ? " h " : " k ")
                    + lease.share().permits() + " of " + lease.share().limit() + " until " + lease.until()));
            assertThat(out).as("the shares that are out after " + story()).isEqualTo(expected);
            List<String> waiters = new ArrayList<>();
            for (int at = firstWaiter; at < shown.size(); at += 2) {
                waiters.add(shown.get(at + 1) + ": " + shown.get(at));
            }
            assertThat(waiters)
                    .as("the waiters after " + story())
                    .isEqualTo(model.waiters().stream()
                            .map(each -> "owner "
                                    + Long.parseLong(each.id().toString().substring(16), 16) + ": "
                                    + each.share().permits() + " "
                                    + each.share().limit())
                            .toList());
            if (model.out.isEmpty()) {
                assertThat(scripts.keys("lock")) // the others may last for a second longer
                        .as("what is left after " + story())
                        .isEmpty();
            }
        }

        private String story() {
            return String.join("\n", told) + "\nby the model " + model;
        }
    }
}
