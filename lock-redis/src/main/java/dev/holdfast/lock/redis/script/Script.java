package dev.holdfast.lock.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A script: the resource file of its name, with what all of them know about a lock's queue where it asks for that. */
public enum Script {
    /** Grants, or queues. */
    ACQUIRE("acquire.lua"),
    /** Lets a lease last longer. */
    RENEW("renew.lua"),
    /** Ends a lease, or withdraws from the queue. */
    RELEASE("release.lua"),
    /** Shows one lock. */
    INSPECT("inspect.lua"),
    /** Tells what the others would be refused. */
    PROBE("probe.lua");

    private static final String QUEUE = "queue.lua";
    private static final String INCLUDE = "-- include " + QUEUE + "\n";

    private final String text;
    private final String sha;

    Script(String file) {
        text = read(file).replace(INCLUDE, read(QUEUE));
        sha = sha1(text);
    }

    /** What it says. */
    public String text() {
        return text;
    }

    /** What the server knows it by, once it has seen it. */
    public String sha() {
        return sha;
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
