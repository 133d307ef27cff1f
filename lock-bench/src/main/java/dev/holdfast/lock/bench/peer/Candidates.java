package dev.holdfast.lock.bench.peer;

import dev.holdfast.lock.bench.peer.Candidate.Store;
import java.util.List;

/** All that are measured, Holdfast first. */
public final class Candidates {

    private Candidates() {}

    /** In the order of the tables. */
    public static List<Candidate> all() {
        return List.of(
                new Candidate(
                        "holdfast-redis",
                        "Holdfast, Redis",
                        Store.REDIS,
                        true,
                        true,
                        "as configured by default",
                        place -> Holdfast.onRedis(place, 16)),
                new Candidate(
                        "holdfast-redis-strict",
                        "Holdfast, Redis, lock.handoff=1",
                        Store.REDIS,
                        true,
                        true,
                        "lock.handoff=1: first come, first served across all processes",
                        place -> Holdfast.onRedis(place, 1)),
                new Candidate(
                        "holdfast-postgresql",
                        "Holdfast, PostgreSQL",
                        Store.POSTGRESQL,
                        true,
                        true,
                        "as configured by default",
                        place -> Holdfast.onPostgreSql(place, 16)),
                new Candidate(
                        "holdfast-postgresql-strict",
                        "Holdfast, PostgreSQL, lock.handoff=1",
                        Store.POSTGRESQL,
                        true,
                        true,
                        "lock.handoff=1: first come, first served across all processes",
                        place -> Holdfast.onPostgreSql(place, 1)),
                JedisSetNx.candidate(),
                RedissonLocks.plain(),
                RedissonLocks.fair(),
                RedissonLocks.spin(),
                SpringRedis.candidate(),
                ShedLocks.redis(),
                SeedExpiry.sleeping(),
                SeedScript.candidate(),
                SeedExpiry.spinning(),
                SpringJdbc.candidate(),
                ShedLocks.jdbc(),
                RowLock.candidate(),
                AdvisoryLock.candidate());
    }
}
