package dev.holdfast.lock.composite.faults;

import java.util.function.IntConsumer;
import redis.clients.jedis.RedisClient;

/** What befalls the Redis that grants. */
enum RedisFault {
    KILLED {
        @Override
        void strike(Site site, IntConsumer pause, Awaited grants) {
            site.master().kill();
            pause.accept(3_000);
            site.master().start();
        }
    },
    STOPPED {
        @Override
        void strike(Site site, IntConsumer pause, Awaited grants) {
            site.master().freeze();
            pause.accept(5_000);
            site.master().thaw();
        }
    },
    FLUSHED {
        @Override
        void strike(Site site, IntConsumer pause, Awaited grants) {
            try (RedisClient client = site.master().client()) {
                client.flushAll();
            }
        }
    },
    RESTARTED_EMPTY {
        @Override
        void strike(Site site, IntConsumer pause, Awaited grants) {
            site.master().wipe();
        }
    },
    REPLACED_BY_ONE_THAT_LAGS {
        @Override
        void strike(Site site, IntConsumer pause, Awaited grants) throws Exception {
            site.cutReplication();
            grants.await("that the replica does not hear of");
            site.master().kill();
            site.promote();
            site.unite();
        }
    },
    ISOLATED_WITH_A_FEW {
        @Override
        void strike(Site site, IntConsumer pause, Awaited grants) throws Exception {
            site.cutReplication();
            grants.await("that the replica does not hear of");
            site.promote();
            pause.accept(6_000);
            site.unite();
        }
    },
    DOWN_WITH_THE_DATABASE {
        @Override
        void strike(Site site, IntConsumer pause, Awaited grants) {
            site.master().kill();
            site.database().server().kill();
            pause.accept(4_000);
            site.master().start();
            site.database().server().start();
        }
    };

    /**
     * Does it, and undoes it as far as it can be undone.
     *
     * @param pause waits for as many milliseconds at most
     * @param grants waits until each lock is granted anew
     */
    abstract void strike(Site site, IntConsumer pause, Awaited grants) throws Exception;

    /** What is waited for, and when. */
    interface Awaited {
        void await(String when) throws Exception;
    }
}
