import dev.holdfast.lock.jdbc.JdbcLockProvider;
import dev.holdfast.lock.spi.LockProvider;
import java.sql.Driver;

/** Locks in a SQL database: PostgreSQL, MariaDB, MySQL, H2, and SQLite for the processes of one machine. */
@SuppressWarnings("module") // the application provides the driver
module dev.holdfast.lock.jdbc {
    requires transitive dev.holdfast.lock;
    requires transitive java.sql;
    requires com.zaxxer.hikari;
    requires org.slf4j;
    requires static flyway.core;
    requires static transitive org.jspecify;

    exports dev.holdfast.lock.jdbc;
    exports dev.holdfast.lock.jdbc.postgresql.driver to
            org.postgresql.jdbc;

    uses Driver;

    provides LockProvider with
            JdbcLockProvider;
}
