package dev.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** An application has neither Reactor nor Kotlin. */
class PlainClassPathTest {

    private static final Pattern LEFT_OUT = Pattern.compile(
            ".*[/\\\\](lock-reactor[/\\\\].*|(reactor-core|reactive-streams|kotlin|lock-reactor)[^/\\\\]*)");

    @Test
    void lockedMethod_withoutReactorAndKotlin_runsUnderItsLock() throws Exception {
        assertThat(onPlainClassPath("run")).isEqualTo("false");
    }

    @Test
    void lockedPublisher_withoutReactor_failsTheStart() throws Exception {
        assertThat(onPlainClassPath("start"))
                .contains("the lock is held during that work only with lock-reactor on the class path");
    }

    private static String onPlainClassPath(String method) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader plain = new URLClassLoader(plainClassPath(), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(plain);
            return (String) plain.loadClass(Application.class.getName())
                    .getMethod(method)
                    .invoke(null);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL[] plainClassPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!LEFT_OUT.matcher(entry).matches()) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }

    /** Loaded by the loader of the plain class path. */
    public static final class Application {

        private Application() {}

        /** Whether the lock is free inside the method. */
        public static String run() {
            try (AnnotationConfigApplicationContext context = Contexts.of(Plain.class)) {
                Probe probe = context.getBean(Probe.class);
                return String.valueOf(context.getBean(Plain.class).run(probe));
            }
        }

        /** Why the start failed. */
        public static String start() {
            try (AnnotationConfigApplicationContext context = Contexts.of(OfPublisher.class)) {
                return "started: " + context;
            } catch (RuntimeException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    static class Plain {

        @Locked("x")
        boolean run(Probe probe) {
            return probe.isFree("x");
        }
    }

    static class OfPublisher {

        @Locked("x")
        Flow.Publisher<String> run() {
            return subscriber -> {};
        }
    }
}
