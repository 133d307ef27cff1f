package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Candidate.Locks;
import dev.holdfast.lock.bench.peer.Candidate.Opener;
import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.List;
import org.redisson.api.RedissonClient;

/** All candidates. */
public final class Candidates {

    private static final String POOL = "pool = threads, at most 64";
    private static final String HIKARI = POOL + " (HikariCP); ";
    private static final String LETTUCE = "Spring Data Redis on Lettuce's one shared connection; ";
    private static final String STRICT = "lock.max-local-handoffs=1: first come, first served across all processes";
    private static final String WATCHDOG = POOL + "; renewed by the watchdog; ";
    private static final String WOKEN = "woken by publish/subscribe over up to "
            + RedissonPeers.SUBSCRIPTION_CONNECTIONS + " additional connections";
    private static final String CONNECTION_EACH =
            "; one connection for each holder and waiter, further threads queue for one";

    private static final String SHEDLOCK =
            "JdbcTemplateLockProvider, usingDbTime; lockAtMostFor 30 s, lockAtLeastFor 0";

    private Candidates() {}

    /** In the order of the tables: Holdfast first. */
    public static List<Candidate> all() {
        return List.of(
                redis("holdfast-redis", "Holdfast, Redis", "default configuration", HoldfastPeer::onRedis)
                        .with(Locks.BOTH),
                redis(
                        "holdfast-redis-strict",
                        "Holdfast, Redis, lock.max-local-handoffs=1",
                        STRICT,
                        HoldfastPeer::strictOnRedis),
                redis(
                        "holdfast-redis-async",
                        "Holdfast, Redis, releaseAsync",
                        "default configuration; releases by Lease.releaseAsync",
                        HoldfastPeer::asyncOnRedis),
                postgres(
                                "holdfast-postgresql",
                                "Holdfast, PostgreSQL",
                                "default configuration",
                                HoldfastPeer::onDatabase)
                        .with(Locks.BOTH),
                postgres(
                        "holdfast-postgresql-strict",
                        "Holdfast, PostgreSQL, lock.max-local-handoffs=1",
                        STRICT,
                        HoldfastPeer::strictOnDatabase),
                redis(
                        "holdfast-composite",
                        "Holdfast, composite of Redis and PostgreSQL",
                        "default configuration",
                        HoldfastPeer::onComposite),
                new Candidate(
                        "jdk-fair-lock",
                        "JDK, fair ReentrantLock",
                        Store.PROCESS,
                        true,
                        "one ReentrantLock(true) per name: what the threads themselves take",
                        JdkPeers::fairLock),
                redis(
                        "jedis-setnx",
                        "Bare Jedis, SET NX PX",
                        POOL + "; SET NX PX 30000, not renewed; while busy sleeps 20 ms; compare-and-delete by EVALSHA",
                        JedisPeers::setNx),
                redis(
                        "redisson",
                        "Redisson, lock",
                        WATCHDOG + WOKEN,
                        e -> RedissonPeers.open(e, RedissonClient::getLock)),
                redis(
                        "redisson-fair",
                        "Redisson, fair lock",
                        WATCHDOG + "queue in Redis, " + WOKEN + ", one channel for each waiting thread",
                        e -> RedissonPeers.open(e, RedissonClient::getFairLock)),
                redis(
                        "redisson-spin",
                        "Redisson, spin lock",
                        WATCHDOG + "retries after 1 to 128 ms, exponentially",
                        e -> RedissonPeers.open(e, RedissonClient::getSpinLock)),
                redis(
                                "redisson-shares",
                                "Redisson, read-write lock and permits",
                                WATCHDOG + "RReadWriteLock; RPermitExpirableSemaphore, whose permits expire after "
                                        + RedissonPeers.PERMIT_SECONDS + " s, not renewed; " + WOKEN,
                                RedissonPeers::openShares)
                        .with(Locks.SHARED),
                redis(
                        "spring-redis",
                        "Spring Integration, Redis",
                        LETTUCE
                                + "RedisLockRegistry, PUB_SUB_LOCK: woken by publish/subscribe; 60 s, renewed by a scheduler",
                        SpringPeers::redis),
                new Candidate(
                        "shedlock-redis",
                        "ShedLock, Redis",
                        Store.REDIS,
                        false,
                        LETTUCE + "RedisLockProvider, safeUpdate; lockAtMostFor 30 s, lockAtLeastFor 0",
                        ShedLockPeers::redis),
                redis(
                        "seed-setnx-expiry",
                        "Home-made: SETNX, sleeps 20 ms",
                        POOL + " (Jedis); expires after 30 s by the clients' clocks; while busy sleeps 20 ms",
                        e -> JedisPeers.setNxWithExpiry(e, 20, false)),
                redis(
                        "seed-lettuce-spin",
                        "Home-made: script, spins every 5 ms",
                        POOL + " (Jedis); expires after 5 s, not renewed; while busy retries every 5 ms",
                        JedisPeers::script),
                redis(
                        "seed-spin-1ms",
                        "Home-made: SETNX, spins every 1 ms",
                        POOL + " (Jedis); expires after 30 s by the clients' clocks; while busy retries every 1 ms",
                        e -> JedisPeers.setNxWithExpiry(e, 1, true)),
                postgres(
                        "spring-jdbc",
                        "Spring Integration, JDBC",
                        HIKARI
                                + "JdbcLockRegistry, ON CONFLICT DO NOTHING; while busy retries every 100 ms; 10 s, not renewed",
                        e -> SpringPeers.jdbc(SqlProduct.POSTGRESQL, e)),
                new Candidate(
                        "shedlock-jdbc",
                        "ShedLock, JDBC",
                        Store.POSTGRESQL,
                        false,
                        HIKARI + SHEDLOCK,
                        e -> ShedLockPeers.jdbc(SqlProduct.POSTGRESQL, e)),
                postgres(
                        "for-update",
                        "Bare SELECT FOR UPDATE",
                        HIKARI + "one existing row per name" + CONNECTION_EACH,
                        e -> DatabasePeers.forUpdate(SqlProduct.POSTGRESQL, e)),
                postgres(
                        "advisory-lock",
                        "PostgreSQL advisory lock",
                        HIKARI + "pg_advisory_lock of the name's 64-bit hash" + CONNECTION_EACH,
                        e -> DatabasePeers.sessionLock(SqlProduct.POSTGRESQL, e)),
                mariaDb("holdfast-mariadb", "Holdfast, MariaDB", "default configuration", HoldfastPeer::onDatabase),
                mariaDb(
                        "spring-jdbc-mariadb",
                        "Spring Integration, JDBC on MariaDB",
                        HIKARI + "JdbcLockRegistry, INSERT IGNORE; while busy retries every 100 ms; 10 s, not renewed",
                        e -> SpringPeers.jdbc(SqlProduct.MARIADB, e)),
                new Candidate(
                        "shedlock-jdbc-mariadb",
                        "ShedLock, JDBC on MariaDB",
                        Store.MARIADB,
                        false,
                        HIKARI + SHEDLOCK,
                        e -> ShedLockPeers.jdbc(SqlProduct.MARIADB, e)),
                mariaDb(
                        "for-update-mariadb",
                        "Bare SELECT FOR UPDATE, MariaDB",
                        HIKARI + "one existing row per name" + CONNECTION_EACH,
                        e -> DatabasePeers.forUpdate(SqlProduct.MARIADB, e)),
                mariaDb(
                        "get-lock-mariadb",
                        "MariaDB GET_LOCK",
                        HIKARI + "GET_LOCK of the name's hash" + CONNECTION_EACH,
                        e -> DatabasePeers.sessionLock(SqlProduct.MARIADB, e)));
    }

    private static Candidate redis(String id, String title, String configuration, Opener opener) {
        return new Candidate(id, title, Store.REDIS, true, configuration, opener);
    }

    private static Candidate postgres(String id, String title, String configuration, Opener opener) {
        return new Candidate(id, title, Store.POSTGRESQL, true, configuration, opener);
    }

    private static Candidate mariaDb(String id, String title, String configuration, Opener opener) {
        return new Candidate(id, title, Store.MARIADB, true, configuration, opener);
    }
}
