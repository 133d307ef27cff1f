package dev.holdfast.lock.spring;

import dev.holdfast.lock.Locks;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** A process, or a part of one, that counts in a row of a database: it reads, and writes what it has read plus one. */
final class CounterProcess {

    private CounterProcess() {}

    /** Arguments: URL, user name, password, how often. */
    public static void main(String[] arguments) {
        count(arguments[0], arguments[1], arguments[2], Integer.parseInt(arguments[3]));
    }

    /** Counts this often, with locks in the same database. */
    static void count(String url, String username, String password, int times) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(DataSource.class, () -> new SingleConnectionDataSource(url, username, password, true));
            context.registerBean(Locks.class, () -> locks(url, username, password));
            context.register(Beans.class);
            context.refresh();
            Counter counter = context.getBean(Counter.class);
            for (int i = 0; i < times; i++) {
                counter.increment(1);
            }
        }
    }

    private static Locks locks(String url, String username, String password) {
        Properties properties = new Properties();
        properties.setProperty("lock.provider", "jdbc");
        properties.setProperty("lock.jdbc.url", url);
        properties.setProperty("lock.jdbc.username", username);
        properties.setProperty("lock.jdbc.password", password);
        properties.setProperty("lock.jdbc.pool-size", "2");
        properties.setProperty("lock.lease", "10m"); // the machine may stand still
        properties.setProperty("lock.call-timeout", "1m");
        return Locks.open(properties);
    }

    /** What the lock guards. */
    static class Counter {

        private final JdbcTemplate jdbc;

        Counter(DataSource dataSource) {
            this.jdbc = new JdbcTemplate(dataSource);
        }

        @Locked("counter:#{#id}")
        @Transactional
        public void increment(int id) {
            Integer value = jdbc.queryForObject("SELECT value FROM counter WHERE id = ?", Integer.class, id);
            jdbc.update("UPDATE counter SET value = ? WHERE id = ?", value + 1, id);
            jdbc.update("INSERT INTO step VALUES (?, ?)", value + 1, CurrentLease.token());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    @EnableTransactionManagement
    static class Beans {

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Counter counter(DataSource dataSource) {
            return new Counter(dataSource);
        }
    }
}
