package dev.holdfast.lock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.internal.config.LockConfiguration;
import dev.holdfast.lock.spi.LockStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is a change of a public API, and how it is reported. */
class PublicApiTest {

    private static final String HERE = PublicApiTest.class.getName() + ".";

    /** A type with members of each kind. */
    public abstract static non-sealed class Everything<T extends Comparable<T>> extends Hidden implements Choice {
        public static final int LIMIT = 7;
        protected static final List<String> NAMES = List.of();
        final int unseen = 1;

        protected Everything(@Nullable String maybe) {
            assert maybe == null;
        }

        Everything() {}

        protected abstract Map<String, @Nullable T> map(List<? extends T> from, String... more) throws IOException;

        @Deprecated
        public final <S> @Nullable S find(S @Nullable [] from) {
            hide();
            return null;
        }

        void hide() {}

        @Override
        public String toString() {
            return "as every object";
        }
    }

    /** Not visible, but its members are. */
    static class Hidden {
        public void inherited() {}
    }

    /** One of two. */
    public sealed interface Choice permits Everything, One {}

    /** A record. */
    public record One(int number, @Nullable String text) implements Choice {
        /** Another way. */
        public One(int number) {
            this(number, null);
        }
    }

    /** An enum: its constants can be compared, so that their order counts. */
    public enum Colour {
        RED,
        GREEN
    }

    @Test
    void type_isListedWithAllThatItsUsersSee() {
        assertThat(PublicApi.of(Everything.class).stream().map(PublicApiTest::here))
                .containsExactly(
                        "Everything: abstract static class<T extends Comparable<T>> extends Hidden implements Choice",
                        "    @Deprecated final <S> @Nullable S find(S @Nullable [])",
                        "    protected Everything(@Nullable String)",
                        "    protected abstract java.util.Map<String, @Nullable T> map(java.util.List<? extends T>, String...)"
                                + " throws java.io.IOException",
                        "    protected static final java.util.List<String> NAMES",
                        "    static final int LIMIT = 7",
                        "    void inherited()");
        assertThat(PublicApi.of(Choice.class).stream().map(PublicApiTest::here))
                .containsExactly("Choice: sealed interface permits Everything, One");
        assertThat(PublicApi.of(One.class).stream().map(PublicApiTest::here))
                .containsExactly("One: record(int number, @Nullable String text) implements Choice", "    One(int)");
        assertThat(PublicApi.of(Colour.class).stream().map(PublicApiTest::here))
                .containsExactly("Colour: enum", "    GREEN = 1", "    RED = 0");
    }

    /** The type is public either way: what makes the difference is the package. */
    @Test
    void type_isVisibleOnlyInAnExportedPackage() throws ClassNotFoundException {
        assertThat(PublicApi.isVisible(LockStore.class)).isTrue();
        assertThat(PublicApi.isVisible(LockConfiguration.class)).isFalse();
        assertThat(PublicApi.isVisible(String.class)).isTrue();
        assertThat(PublicApi.isVisible(Class.forName("jdk.internal.misc.Unsafe")))
                .isFalse();
    }

    private static String here(String line) {
        return line.replace(HERE, "");
    }

    @Test
    void comments_thatUsersMiss_areFound(@TempDir Path folder) throws IOException {
        Path source =
                Files.createDirectories(folder.resolve("src/main/java/one")).resolve("One.java");
        Files.writeString(source, """
                        package one;
                        public abstract class One extends Two {
                            /** Said. */
                            protected int said;
                            protected int unsaid;
                            int unseen;
                            /** Said. */
                            public One() {}
                            public void unsaid() {}
                            @Override
                            public void inherited() {}
                            public interface Inner {
                                void unsaid();
                            }
                            /** Said. */
                            public enum Colour { RED }
                            static class Unseen {
                                public void unseen() {}
                            }
                        }
                        """);
        assertThat(PublicApiComments.missing(folder, List.of("one")))
                .containsExactly("One.java:2", "One.java:5", "One.java:9", "One.java:12", "One.java:13", "One.java:16");
    }

    @Test
    void difference_listsWhatWasRemovedChangedOrAdded() {
        List<String> before =
                List.of("a.One: class", "    void gone()", "    void same()", "a.Two: class", "    int x()");
        List<String> now =
                List.of("a.One: class", "    void same()", "a.Two: final class", "    long x()", "    int y()");
        assertThat(PublicApiRules.difference(before, now)).isEqualTo("""
                        Removed or changed, which breaks its users:
                          - a.One: void gone()
                          - a.Two: class
                          - a.Two: int x()
                        Added; an abstract member breaks implementations:
                          + a.Two: final class
                          + a.Two: long x()
                          + a.Two: int y()
                        """);
        assertThat(PublicApiRules.difference(now, now)).isEmpty();
    }
}
