package dev.holdfast.lock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.testing.Await;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An application that is redeployed, with Holdfast among its own classes: nothing of the first deployment stays. */
@Timeout(240)
class RedeployTest {

    /** Loads all classes itself, as a servlet container has each application do. */
    private static final class Deployment extends URLClassLoader {
        Deployment(URL[] classes) {
            super(classes, ClassLoader.getPlatformClassLoader());
        }
    }

    /** Uses Holdfast, and holds a lock when it closes it. */
    static final class Application implements Callable<List<Thread>> {
        @Override
        public List<Thread> call() throws Exception {
            Properties properties = new Properties();
            properties.setProperty("lock.provider", "memory");
            properties.setProperty("lock.namespace", "redeployed");
            List<Thread> threads = new ArrayList<>();
            Locks locks = Locks.open(properties);
            DistributedLock lock = locks.named("job");
            lock.acquireAsync().get().close();
            locks.elect("boss", lease -> {}).close();
            Lease held = lock.acquire();
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread ->
                            thread.getContextClassLoader() == getClass().getClassLoader())
                    .filter(thread -> thread != Thread.currentThread())
                    .forEach(threads::add);
            locks.close();
            if (held.isHeld()) {
                throw new AssertionError("the lease outlives its locks");
            }
            return threads;
        }
    }

    @Test
    void application_thatClosesItsLocksWithALeaseHeld_leavesNoThread() throws Exception {
        List<Thread> threads = new ArrayList<>();
        deploy(threads);

        assertThat(threads).as("the threads of Holdfast in use").isNotEmpty();
        for (Thread thread : threads) {
            thread.join(Await.HANG.toMillis());
            assertThat(thread.isAlive()).as("whether %s runs", thread).isFalse();
        }
    }

    /** In a process whose memory is always short: soft references, of the JDK to what it has generated, are cleared there. */
    @Test
    void application_thatClosesItsLocksWithALeaseHeld_isCollected(@TempDir Path directory) throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:SoftRefLRUPolicyMSPerMB=0",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-XX:+UseSerialGC",
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        CollectedDeployment.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(Await.SECONDS, TimeUnit.SECONDS))
                    .as("the class loader is collected")
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Ends once the class loader of a deployment is collected, which a timer of the JDK's with a task of Holdfast's would keep. */
    static final class CollectedDeployment {

        private CollectedDeployment() {}

        /** JDK 17 keeps the class of the record whose methods were called first most recently. */
        private record Later(String name) {}

        /** Takes no arguments. */
        public static void main(String[] arguments) throws Exception {
            WeakReference<ClassLoader> deployment = deploy(new ArrayList<>());
            assertThat(new Later("a")).isEqualTo(new Later("a")).hasSameHashCodeAs(new Later("a"));
            while (deployment.get() != null) {
                System.gc();
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static WeakReference<ClassLoader> deploy(List<Thread> threads) throws Exception {
        URL[] classes = Stream.of(Locks.class, RedeployTest.class, Logger.class, LoggerFactory.class, Nullable.class)
                .map(one -> one.getProtectionDomain().getCodeSource().getLocation())
                .distinct()
                .toArray(URL[]::new);
        Deployment deployment = new Deployment(classes);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(deployment);
        try {
            var constructor = deployment.loadClass(Application.class.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            threads.addAll(((Callable<List<Thread>>) constructor.newInstance()).call());
            return new WeakReference<>(deployment);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            deployment.close();
        }
    }
}
