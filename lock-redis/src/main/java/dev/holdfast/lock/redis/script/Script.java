package dev.holdfast.lock.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The Lua scripts. Each is a resource file beside this class, in which a line {@code -- include <file>} stands for another
 * file. It has two variants, for a standalone store and for a composite's primary term: lines between
 * {@code -- standalone only:} or {@code -- term only:} and {@code -- end only} belong to one of them.
 */
public enum Script {
    /** Grants a lock, or queues for it. */
    ACQUIRE("acquire.lua"),
    /** Extends leases. */
    RENEW("renew.lua"),
    /** Ends a lease, or withdraws from the queue. */
    RELEASE("release.lua"),
    /** {@link #RELEASE}, then {@link #ACQUIRE} of the same lock for another id. */
    HANDOFF("handoff.lua"),
    /** Acquires and releases several locks. */
    LOCK_SET("lock_set.lua"),
    /** Grants a share of a lock, or queues for it. */
    SHARE_ACQUIRE("share_acquire.lua"),
    /** Extends a share. */
    SHARE_RENEW("share_renew.lua"),
    /** Ends a share, or withdraws from the queue. */
    SHARE_RELEASE("share_release.lua"),
    /** Shows one lock. */
    LIST("list.lua"),
    /** Names the first command of the other scripts that the server refuses. */
    PROBE("probe.lua"),
    /** Writes the leases of a failback; under a primary term only. */
    TRANSFER("transfer.lua"),
    /** The same for the shares of one lock. */
    SHARE_TRANSFER("share_transfer.lua"),
    /** Activates a primary term; under a primary term only. */
    ACTIVATE("activate.lua");

    private final String standaloneText;
    private final String standaloneSha;
    private final String underTermText;
    private final String underTermSha;

    Script(String file) {
        standaloneText = Source.text(file, false);
        standaloneSha = Source.sha1(standaloneText);
        underTermText = Source.text(file, true);
        underTermSha = Source.sha1(underTermText);
    }

    /** Those that have no use in a standalone store. */
    private static final Set<Script> UNDER_TERM_ONLY = Set.of(TRANSFER, SHARE_TRANSFER, ACTIVATE);

    /** The variant for a standalone store. */
    public Source standalone() {
        return new Source(standaloneText, standaloneSha, false);
    }

    /** The variant for a composite's primary term. */
    public Source underTerm() {
        return new Source(underTermText, underTermSha, true);
    }

    /**
     * One variant of a script.
     *
     * @param text the text that is sent
     * @param sha the hash by which a server knows it once it was sent
     * @param isUnderTerm whether it is the variant for a primary term
     */
    public record Source(String text, String sha, boolean isUnderTerm) {

        private static final Pattern INCLUDE = Pattern.compile("(?m)^-- include (\\S+)\n");

        /** Lines of one variant. */
        private static final Pattern ONLY = Pattern.compile("(?ms)^-- (standalone|term) only:\n(.*?)^-- end only\n");

        /** Comments and indentation stay in the resource files: a script is sent only now and then. No string spans two lines. */
        private static final Pattern FOR_READERS = Pattern.compile("(?m)^ *(?:--.*\n)?");

        private static final String TERM = "term";
        private static final String STANDALONE = "standalone";

        static String text(String file, boolean isUnderTerm) {
            return FOR_READERS.matcher(withIncludes(file, isUnderTerm)).replaceAll("");
        }

        /** The scripts that one store sends, this one among them. */
        public List<Source> companions() {
            return isUnderTerm
                    ? Stream.of(values()).map(Script::underTerm).toList()
                    : Stream.of(values())
                            .filter(script -> !UNDER_TERM_ONLY.contains(script))
                            .map(Script::standalone)
                            .toList();
        }

        private static String withIncludes(String file, boolean isUnderTerm) {
            String variant = isUnderTerm ? TERM : STANDALONE;
            String text = ONLY.matcher(read(file))
                    .replaceAll(
                            lines -> lines.group(1).equals(variant) ? Matcher.quoteReplacement(lines.group(2)) : "");
            return INCLUDE.matcher(text)
                    .replaceAll(include -> Matcher.quoteReplacement(withIncludes(include.group(1), isUnderTerm)));
        }

        private static String read(String file) {
            try (InputStream in = Script.class.getResourceAsStream(file)) {
                if (in == null) {
                    throw new IllegalStateException("there is no resource " + file + " beside " + Script.class);
                }
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static String sha1(String text) {
            try {
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-1", e);
            }
        }
    }
}
