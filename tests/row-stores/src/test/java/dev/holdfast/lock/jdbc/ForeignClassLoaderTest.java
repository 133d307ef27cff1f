package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.holdfast.lock.jdbc.server.H2Database;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.testing.OwnThread;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holdfast and the drivers in a class loader that {@link DriverManager}, which has looked for drivers before, knows nothing of: as
 * in a servlet container.
 */
@Tag("second-build")
@Timeout(300)
class ForeignClassLoaderTest {

    private static final String DRIVERS = "META-INF/services/" + Driver.class.getName();

    @TempDir
    static Path directory;

    /** Another loader of the same jars, which asks its parent only for what is not in them. */
    private static final class Application extends URLClassLoader {

        private final Predicate<String> hides;

        /** @param hides the resources that its jars do not have */
        Application(ClassLoader parent, Predicate<String> hides) {
            super(classPath(), parent);
            this.hides = hides;
        }

        private static URL[] classPath() {
            return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                    .map(entry -> {
                        try {
                            return Path.of(entry).toUri().toURL();
                        } catch (MalformedURLException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toArray(URL[]::new);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                if (!name.startsWith("java.")) {
                    try {
                        return findClass(name);
                    } catch (ClassNotFoundException e) {
                        return super.loadClass(name, resolve);
                    }
                }
                return super.loadClass(name, resolve);
            }
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return hides.test(name) ? Collections.emptyEnumeration() : super.getResources(name);
        }
    }

    static Stream<Arguments> databases() {
        return Stream.of(
                argumentSet(
                        "MariaDB",
                        withTables(MariaDbDatabase.of(MariaDbServer.shared()).settings())),
                argumentSet("H2", H2Database.inMemory().settings()),
                argumentSet(
                        "SQLite", withTables(Map.of("lock.jdbc.url", "jdbc:sqlite:" + directory.resolve("locks.db")))));
    }

    /** So that not each loader loads Flyway as well; it does for H2, whose memory is another one in each. */
    private static Map<String, String> withTables(Map<String, String> settings) {
        Opened.store(settings).close();
        Map<String, String> opened = new HashMap<>(settings);
        opened.put("lock.jdbc.migrate", "false");
        return opened;
    }

    @ParameterizedTest
    @MethodSource("databases")
    void open_inAnApplicationsClassLoader_findsTheDriverWhateverTheContextIs(Map<String, String> settings)
            throws Exception {
        try (Application application = new Application(ClassLoader.getPlatformClassLoader(), resource -> false)) {
            for (ClassLoader context : new ClassLoader[] {
                application, null, ClassLoader.getPlatformClassLoader(), ClassLoader.getSystemClassLoader()
            }) {
                assertThat(outcome(application, context, settings))
                        .as("in the context of %s", context)
                        .isEqualTo(LocksOnce.LOCKED);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void open_whereAFatJarHasLostTheDriversServiceFile_findsTheDriverByName(Map<String, String> settings)
            throws Exception {
        try (Application application = new Application(ClassLoader.getPlatformClassLoader(), DRIVERS::equals)) {
            assertThat(outcome(application, application, settings)).isEqualTo(LocksOnce.LOCKED);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void open_whereTheContainerHasItsOwnCopy_usesTheApplications(Map<String, String> settings) throws Exception {
        try (Application application = new Application(ClassLoader.getSystemClassLoader(), resource -> false)) {
            assertThat(outcome(application, application, settings)).isEqualTo(LocksOnce.LOCKED);
        }
    }

    @Test
    void open_whereOnlyTheContainersCopyHasAProvider_saysWhichJarsDoNotBelongTogether() throws Exception {
        try (Application application =
                new Application(ClassLoader.getPlatformClassLoader(), resource -> resource.contains("LockProvider"))) {
            assertThat(outcome(application, ClassLoader.getSystemClassLoader(), Map.of()))
                    .contains("not usable", JdbcLockProvider.class.getName(), "another copy of lock-api")
                    .contains(JdbcLockProvider.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toString())
                    .contains(Application.class.getName());
        }
    }

    /** What {@link LocksOnce} says in that loader, on a thread of that context. */
    private static String outcome(ClassLoader application, @Nullable ClassLoader context, Map<String, String> settings)
            throws Exception {
        Properties all = new Properties();
        all.putAll(settings);
        all.setProperty("lock.provider", "jdbc");
        all.setProperty("lock.lease", "10m");
        all.setProperty("lock.call-timeout", "1m");
        Path configuration = Files.createTempFile(directory, "lock", ".properties");
        try (OutputStream out = Files.newOutputStream(configuration)) {
            all.store(out, null);
        }
        Method once = application.loadClass(LocksOnce.class.getName()).getDeclaredMethod("once", Path.class);
        assertThat(once.getDeclaringClass()).isNotEqualTo(LocksOnce.class);
        once.setAccessible(true);
        return CompletableFuture.supplyAsync(
                        () -> {
                            Thread.currentThread().setContextClassLoader(context);
                            try {
                                return (String) once.invoke(null, configuration);
                            } catch (ReflectiveOperationException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        OwnThread.EACH)
                .get();
    }
}
