package dev.holdfast.lock.redis.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A script: the resource file of its name, for a store that stands alone or for one that is asked under a reign. */
public enum Script {
    /** Grants, or queues. */
    ACQUIRE("acquire.lua", false),
    /** Lets a lease last longer. */
    RENEW("renew.lua", false),
    /** Ends a lease, or withdraws from the queue. */
    RELEASE("release.lua", false),
    /** {@link #RELEASE}, and then {@link #ACQUIRE} of the same lock for another. */
    PASS("pass.lua", false),
    /** Shows one lock. */
    INSPECT("inspect.lua", false),
    /** Tells what the others would be refused. */
    PROBE("probe.lua", false),

    /** {@link #ACQUIRE}, if the reign is in power. */
    REIGN_ACQUIRE("acquire.lua", true),
    /** {@link #RENEW}, if the reign is in power. */
    REIGN_RENEW("renew.lua", true),
    /** {@link #RELEASE}, if the reign is in power. */
    REIGN_RELEASE("release.lua", true),
    /** {@link #PASS}, if the reign is in power. */
    REIGN_PASS("pass.lua", true),
    /** {@link #INSPECT}, if the reign is in power. */
    REIGN_INSPECT("inspect.lua", true),
    /** {@link #PROBE} for those of a reign. */
    REIGN_PROBE("probe.lua", true),
    /** Writes grants under a reign that is to come to power. */
    REIGN_COPY("copy.lua", true),
    /** Puts a reign in power. */
    REIGN_INSTALL("install.lua", true);

    private final boolean isUnderReign;
    private final String text;
    private final String sha;

    Script(String file, boolean isUnderReign) {
        this.isUnderReign = isUnderReign;
        text = ScriptText.of(file, isUnderReign);
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

    /** Those that a store calls that calls this one, which is among them. */
    public List<Script> companions() {
        return Arrays.stream(values())
                .filter(each -> each.isUnderReign == isUnderReign)
                .toList();
    }

    /** What a store calls under a reign where one that stands alone calls this. */
    Script underReign() {
        return switch (this) {
            case ACQUIRE -> REIGN_ACQUIRE;
            case RENEW -> REIGN_RENEW;
            case RELEASE -> REIGN_RELEASE;
            case PASS -> REIGN_PASS;
            case INSPECT -> REIGN_INSPECT;
            case PROBE -> REIGN_PROBE;
            case REIGN_ACQUIRE,
                    REIGN_RENEW,
                    REIGN_RELEASE,
                    REIGN_PASS,
                    REIGN_INSPECT,
                    REIGN_PROBE,
                    REIGN_COPY,
                    REIGN_INSTALL -> this;
        };
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
