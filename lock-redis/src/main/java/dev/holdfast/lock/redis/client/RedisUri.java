package dev.holdfast.lock.redis.client;

import dev.holdfast.lock.spi.support.Redactor;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.HostAndPort;

/**
 * The address of the servers; printed without its secrets.
 *
 * @param shown the URI as written, without the password
 * @param topology how the servers are organized
 * @param isTls whether the connections use TLS
 * @param username an ACL user, if the URI names one
 * @param password of that user, or of the server, if the URI names one
 * @param hosts the server; some sentinels; some nodes of a Cluster
 * @param master the sentinels' name for the server; empty without sentinels
 * @param database the number of the database
 */
public record RedisUri(
        String shown,
        Topology topology,
        boolean isTls,
        Optional<String> username,
        Optional<String> password,
        Set<HostAndPort> hosts,
        String master,
        int database) {

    /** The forms of a URI, for error messages. */
    public static final String FORMS =
            "redis://host[:6379][/database], redis-sentinel://host[:26379],host…/master[/database]"
                    + " or redis-cluster://host[:6379],host…, each with rediss for TLS and [user]:password@ before the hosts";

    private static final Pattern FORM =
            Pattern.compile("(redis(s?)(-sentinel|-cluster)?://)(?:([^/?#\\s]*)@)?([^/@?#]+)(?:/([^@?#]*))?");

    private static final Pattern SCHEME = Pattern.compile("rediss?(?:-sentinel|-cluster)?://");

    private static final Pattern AFTER_HOSTS = Pattern.compile("[/?#]");

    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]\\s]+)(?::(\\d{1,5}))?");

    private static final int SERVER_PORT = 6379;
    private static final int SENTINEL_PORT = 26_379;
    static final int MAX_PORT = 65_535;

    /** How the servers are organized. */
    public enum Topology {
        /** One server. */
        STANDALONE,
        /** Sentinels that know the master. */
        SENTINEL,
        /** Nodes that share the slots. */
        CLUSTER
    }

    /**
     * Reads a URI.
     *
     * @throws IllegalArgumentException if it has none of the {@link #FORMS}
     */
    public static RedisUri of(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    text.contains("@")
                            ? "before the @, percent-encode all but letters and digits: / is %2F, ? is %3F"
                            : "this has none of the forms of a Redis URI");
        }
        Topology topology = form.group(3) == null
                ? Topology.STANDALONE
                : form.group(3).equals("-sentinel") ? Topology.SENTINEL : Topology.CLUSTER;
        String user = form.group(4) == null ? ":" : form.group(4);
        int colon = user.indexOf(':');
        if (colon < 0 || (colon > 0 && colon == user.length() - 1)) {
            throw new IllegalArgumentException("user:password, or :password, belongs before the @");
        }
        String path = form.group(6) == null ? "" : form.group(6);
        String[] places = path.split("/", -1);
        boolean isSentinel = topology == Topology.SENTINEL;
        if (isSentinel && places[0].isEmpty()) {
            throw new IllegalArgumentException("the name of their master belongs after the sentinels");
        }
        if (places.length > (isSentinel ? 2 : 1) || (topology == Topology.CLUSTER && !path.isEmpty())) {
            throw new IllegalArgumentException("too much after the hosts");
        }
        String masked = form.group(4) == null ? "" : user.substring(0, colon + 1) + Redactor.MASK + "@";
        return new RedisUri(
                form.group(1) + masked + form.group(5) + (path.isEmpty() ? "" : "/" + path),
                topology,
                !form.group(2).isEmpty(),
                decoded(user.substring(0, colon)),
                decoded(user.substring(colon + 1)),
                hosts(form.group(5), topology),
                isSentinel ? places[0] : "",
                database(isSentinel ? (places.length == 2 ? places[1] : "") : places[0]));
    }

    /**
     * A text that is not a Redis URI, for error messages. Without an {@code @}, a password may be anywhere: only hosts are shown,
     * up to the first word that is not one.
     */
    public static String masked(String text) {
        Matcher scheme = SCHEME.matcher(text);
        if (text.contains("@") || !scheme.lookingAt()) {
            return Redactor.redactUrl(text);
        }
        Matcher end = AFTER_HOSTS.matcher(text);
        boolean hasMore = end.find(scheme.end());
        StringBuilder shown = new StringBuilder(scheme.group());
        for (String each : text.substring(scheme.end(), hasMore ? end.start() : text.length())
                .split("(?<=,)", -1)) {
            if (!HOST.matcher(each.replaceFirst(",$", "")).matches()) {
                return shown + maskedHost(each);
            }
            shown.append(each);
        }
        return shown + (hasMore ? end.group() + Redactor.MASK : "");
    }

    /** Masks what follows a colon or a blank: it may be a password whose @ is missing. */
    private static String maskedHost(String text) {
        return text.replaceFirst("(?s)([:\\s]).+", "$1" + Redactor.MASK);
    }

    private static Optional<String> decoded(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) { // whose message quotes what may be secret
            throw new IllegalArgumentException("a % before the @ is written %25");
        }
    }

    private static Set<HostAndPort> hosts(String text, Topology topology) {
        Set<HostAndPort> hosts = new LinkedHashSet<>();
        for (String each : text.split(",", -1)) {
            Matcher host = HOST.matcher(each);
            if (!host.matches()) {
                throw new IllegalArgumentException("'" + maskedHost(each)
                        + "' is neither a host nor host:port; a port is a number, and an IPv6 address is in brackets");
            }
            int port = host.group(2) != null
                    ? Integer.parseInt(host.group(2))
                    : topology == Topology.SENTINEL ? SENTINEL_PORT : SERVER_PORT;
            if (port < 1 || port > MAX_PORT) {
                throw new IllegalArgumentException("a port is 1 to 65535: " + port);
            }
            String name = host.group(1);
            hosts.add(new HostAndPort(name.startsWith("[") ? name.substring(1, name.length() - 1) : name, port));
        }
        if (topology == Topology.STANDALONE && hosts.size() > 1) {
            throw new IllegalArgumentException("several hosts need redis-sentinel:// or redis-cluster://");
        }
        return hosts;
    }

    private static int database(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        if (!text.matches("\\d{1,5}")) {
            throw new IllegalArgumentException("a database is a number, after the last slash");
        }
        return Integer.parseInt(text);
    }

    @Override
    public String toString() {
        return shown;
    }
}
