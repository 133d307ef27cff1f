package dev.holdfast.lock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.lock.contract.ExplainedHistory;
import dev.holdfast.lock.redis.testserver.RedisServer;
import dev.holdfast.lock.testing.RandomHistory;
import dev.holdfast.lock.testing.Seeds;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.RedisClient;

/** Random commands for shares and for exclusive locks are decided as {@link RandomHistory} demands. */
class ShareFuzzTest {

    private static final int SEEDS = 8;

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
    void commands_forSharesAndExclusiveLocks_areDecidedAsTheModelDemands() {
        Seeds.runSome(SEEDS, seed -> run(seed, UnaryOperator.identity()));
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
        TOMBSTONE("end\nif tombstone then\nreturn 'gone'\nend\nif state", "end\nif state"),
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
        DUE_SINCE_DROP("since, changed = head and since or now, now", "since = head and since or now"),
        DEAD_SINCE_FREE("last + WAITER_TTL > freed then", "last + WAITER_TTL > since then"),
        NOTIFIED("due_since(start, last), id)\nnotify(id)", "due_since(start, last), id)"),
        MARKED_BY_EXCLUSIVE("and not is_share(last)) then", "or true) then"),
        OUT_AT_EXCLUSIVE_ACQUIRE("first_alive(now, since, lock)\nif not lock", "first_alive(now, since)\nif not lock"),
        OUT_AT_EXCLUSIVE_RELEASE(
                "first_alive(now, since, not free and lock, RELEASE)", "first_alive(now, since, nil, RELEASE)"),
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
        for (int seed = 0; seed < 200; seed++) {
            run(seed, UnaryOperator.identity()); // what fails without the guard does so for that reason
            if (isFound(seed, guard)) {
                return;
            }
        }
        fail("two hundred histories without the guard %s found nothing", guard);
    }

    private static boolean isFound(long seed, Guard guard) {
        try {
            run(seed, guard::drop);
            return false;
        } catch (AssertionError e) {
            return true;
        }
    }

    private static void run(long seed, UnaryOperator<String> change) {
        SteppedScripts scripts = new SteppedScripts(client, seed % 2 == 1, change);
        scripts.setClock(1_800_000_000_000L);
        RandomHistory history = ExplainedHistory.run(seed, scripts);
        assertThat(scripts.keys("lock", "reservation", "queue", "seen", "owners", "ends", "shares"))
                .as("what is left after %s", history)
                .isEmpty();
    }
}
