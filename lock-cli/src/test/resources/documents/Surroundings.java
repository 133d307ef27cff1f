package surroundings;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.tck.LockStoreContract;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import redis.clients.jedis.UnifiedJedis;

/** What the applications around the code in documents have. */
public abstract class Surroundings {

    public Locks locks;
    public DistributedLock lock;
    public Lease lease;
    public DataSource dataSource;
    public UnifiedJedis client;
    public Runnable work;

    public Payments payments;
    public Repository repository;
    public Object invoice;
    public JdbcTemplate jdbc;
    public Scheduler scheduler;
    public Timer waits;
    public Counter failures;
    public OldLock oldLock;
    public long id;
    public int newStock;

    public record Receipt(long id) {}

    public interface Payments {
        Mono<Receipt> pay(long id, long fencingToken);

        Flux<Receipt> list();
    }

    public interface Repository {
        void save(Object what, long fencingToken);
    }

    public interface JdbcTemplate {
        int update(String sql, Object... values);
    }

    public interface Scheduler {
        void start(long fencingToken);

        void stop();
    }

    public interface Timer {
        void record(Duration time);
    }

    public interface Counter {
        void increment();
    }

    public interface OldLock {
        void wrap(Runnable body);
    }

    public abstract void bookAll();

    public abstract void sendReport();

    public abstract void importFirstHalf();

    public abstract void importSecondHalf();

    public abstract void invoice();

    public abstract void sell(long id);

    public abstract void transfer(long from, long to);

    public abstract void render();

    public abstract void rebuild(long fencingToken);

    public abstract void train();

    public abstract void show(Object... facts);

    public abstract void alert(String message);

    public static final class MyServer {
        public static String url() {
            return "";
        }
    }

    public abstract static class MyStoreTest extends LockStoreContract {
        @Override
        protected Properties configuration() {
            return new Properties();
        }
    }
}
