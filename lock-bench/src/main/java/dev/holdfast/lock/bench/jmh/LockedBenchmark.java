package dev.holdfast.lock.bench.jmh;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spring.EnableLocks;
import dev.holdfast.lock.spring.Locked;
import java.time.Duration;
import java.util.Properties;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The cost of {@code @Locked} on top of {@link DistributedLock#run}: on a store that costs nothing, with the same name each
 * time.
 */
@State(Scope.Benchmark)
public class LockedBenchmark {

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(LockedBeans.class);
    private final Locks locks = context.getBean(Locks.class);
    private final LockedService service = context.getBean(LockedService.class);
    private long calls;

    @TearDown
    public void close() {
        context.close();
    }

    @Benchmark
    public long run() throws InterruptedException {
        locks.named("invoice:" + 42L).run(() -> calls++);
        return calls;
    }

    @Benchmark
    public long lockedMethod() {
        return service.constant();
    }

    @Benchmark
    public long lockedMethodWithExpression() {
        return service.ofArgument(42L);
    }

    /** The bean whose methods are locked. */
    public static class LockedService {
        private long calls;

        /** For Spring. */
        public LockedService() {}

        /** Counts. */
        @Locked("invoice:42")
        public long constant() {
            return ++calls;
        }

        /** Counts. */
        @Locked("invoice:#{#p0}")
        public long ofArgument(long id) {
            return ++calls;
        }
    }

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableLocks
    static class LockedBeans {

        @Bean
        Locks locks() {
            LockReply granted = new LockReply.Granted(1, Duration.ofSeconds(30));
            return Locks.open(new LockBenchmark.ConstantStore(granted), new Properties());
        }

        @Bean
        LockedService lockedService() {
            return new LockedService();
        }
    }
}
