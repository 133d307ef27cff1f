package dev.holdfast.lock.architecture;

import dev.holdfast.lock.cli.Main;
import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.redis.RedisLockProvider;

/** Of the SQL and Redis stores and the command line. */
class CommandLineArchitectureTest extends ArchitectureRules {

    CommandLineArchitectureTest() {
        super(Main.class, JdbcLockProvider.class, RedisLockProvider.class);
    }
}
