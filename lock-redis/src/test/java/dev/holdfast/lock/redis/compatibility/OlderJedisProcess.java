package dev.holdfast.lock.redis.compatibility;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.TestStores;
import dev.holdfast.lock.redis.client.RedisUri;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.tck.LockStoreContract;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.LocksOpener;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.UnifiedJedis;

/**
 * A process that uses locks in every way for which the version of Jedis matters. It names no class that only some
 * versions have.
 */
final class OlderJedisProcess {

    /** The beginning of the printed line that tells where Jedis was loaded from. */
    static final String FROM = "client library: ";

    /** Rules of the kit that are quick, and between them cause every script and every message. */
    private static final Set<String> RULES =
            Set.of("BatchRules", "NotificationRules", "ListingRules", "OperatorRules", "ShareRules", "ShareQueueRules");

    private static final int LEAST = 26;

    private OlderJedisProcess() {}

    /** @param arguments the addresses of one server, of sentinels and of a Cluster; a directory for the kit's report, if it is to be passed */
    @SuppressWarnings("SystemOut") // a pipe to the process that started this one
    public static void main(String[] arguments) throws Exception {
        System.out.println(
                FROM + UnifiedJedis.class.getProtectionDomain().getCodeSource().getLocation());
        RedisUri server = RedisUri.of(arguments[0]);
        RedisUri sentinels = RedisUri.of(arguments[1]);
        RedisUri cluster = RedisUri.of(arguments[2]);
        for (RedisUri each : new RedisUri[] {server, sentinels, cluster}) {
            try (Locks locks = LocksOpener.open(patient(TestStores.settings(each.toString())));
                    Locks others = LocksOpener.open(patient(TestStores.settings(each.toString())))) {
                serve(locks, others);
            }
        }
        // By default a client gives up after two seconds, for which a server or this process may stand still.
        JedisClientConfig config =
                DefaultJedisClientConfig.builder().timeoutMillis(60_000).build();
        HostAndPort address = server.hosts().iterator().next();
        serve((UnifiedJedis) client("JedisPooled", HostAndPort.class, JedisClientConfig.class)
                .newInstance(address, config));
        serve((UnifiedJedis)
                client("JedisSentineled", String.class, JedisClientConfig.class, Set.class, JedisClientConfig.class)
                        .newInstance(sentinels.master(), config, sentinels.hosts(), config));
        serve((UnifiedJedis)
                client("JedisCluster", Set.class, JedisClientConfig.class).newInstance(cluster.hosts(), config));
        System.setProperty(OlderJedisContract.SERVER, server.toString());
        if (arguments.length > 3) {
            passKit(arguments[3]);
        }
        System.exit(0); // whatever the application's clients have left running
    }

    /** Classes that only older versions have. */
    private static Constructor<?> client(String name, Class<?>... parameters) throws Exception {
        return Class.forName("redis.clients.jedis." + name).getConstructor(parameters);
    }

    private static void serve(UnifiedJedis client) throws Exception {
        try (client;
                LockStore store = TestStores.on(client, new Namespace("callers"));
                Locks locks = Locks.open(store, patient(new Properties()));
                Locks others = Locks.open(store, patient(new Properties()))) {
            serve(locks, others);
            require(!store.diagnose(Duration.ofMinutes(1)).isEmpty(), "is examined");
            store.list("", Duration.ofMinutes(1)).close();
        }
    }

    /** With leases and calls that outlast a machine's standing still. */
    private static Properties patient(Properties settings) {
        settings.setProperty("lock.lease", "5m");
        settings.setProperty("lock.call-timeout", "1m");
        return settings;
    }

    private static void serve(Locks locks, Locks others) throws Exception {
        Lease first = locks.named("theirs").acquire();
        CompletableFuture<Lease> second = others.named("theirs").acquireAsync(Await.HANG);
        require(others.named("theirs").tryAcquire().isEmpty(), "is held");
        require(first.release(), "was held until it was released");
        require(Await.result(second).release(), "was held by the next");
    }

    private static void passKit(String reports) {
        Set<String> rules = new TreeSet<>();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(OlderJedisContract.class))
                .filters((PostDiscoveryFilter) test -> FilterResult.includedIf(isOf(rules, test)))
                .configurationParameter(LockStoreContract.REPORTS, reports)
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        summary.getSummary().printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        require(summary.getSummary().getTotalFailureCount() == 0, "passes the kit");
        long passed = summary.getSummary().getTestsSucceededCount(); // some would have to restart the server
        require(passed >= LEAST, "passes at least " + LEAST + " tests: " + passed);
        require(rules.equals(RULES), "is asked for all rules: " + rules);
    }

    private static boolean isOf(Set<String> found, TestDescriptor test) {
        if (!(test.getSource().orElse(null) instanceof MethodSource method)) {
            return true;
        }
        String rules = method.getJavaMethod().getDeclaringClass().getSimpleName();
        if (RULES.contains(rules)) {
            found.add(rules);
        }
        return RULES.contains(rules);
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not so: " + what);
        }
    }
}
