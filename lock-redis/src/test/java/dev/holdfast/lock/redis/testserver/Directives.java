package dev.holdfast.lock.redis.testserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;

/** The lines of a server's configuration. */
record Directives(List<String> lines) {

    /** A server that writes each change to disk before it answers, and makes no snapshots. */
    static Directives standalone() {
        return new Directives(List.of(
                "protected-mode no",
                "save \"\"",
                "appendonly yes",
                "appendfsync always",
                "repl-diskless-sync yes",
                "repl-diskless-sync-delay 0"));
    }

    Directives and(String... more) {
        return new Directives(Stream.concat(lines.stream(), Arrays.stream(more)).toList());
    }

    /** The same on this port; with a certificate, the port is for encrypted connections only. */
    Directives on(int port) {
        return encrypted() ? and("port 0", "tls-port " + port) : and("port " + port);
    }

    boolean encrypted() {
        return value("tls-cert-file").isPresent();
    }

    /** The URI of a server on this port. */
    String uri(int port) {
        return (encrypted() ? "rediss" : "redis") + "://127.0.0.1:" + port;
    }

    /** For a test's own client, which does not verify certificates. */
    JedisClientConfig clientConfig() {
        DefaultJedisClientConfig.Builder config =
                DefaultJedisClientConfig.builder().timeoutMillis(Awaiting.LIMIT_MILLIS);
        value("requirepass").ifPresent(config::password);
        if (encrypted()) {
            config.sslOptions(
                    SslOptions.builder().sslVerifyMode(SslVerifyMode.INSECURE).build());
        }
        return config.build();
    }

    /** The value of the last directive of this name. */
    Optional<String> value(String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1).strip())
                .reduce((earlier, later) -> later);
    }

    /** The same as arguments of {@code redis-server}. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            arguments.add("--" + words[0]);
            Arrays.stream(words)
                    .skip(1)
                    .map(word -> word.equals("\"\"") ? "" : word)
                    .forEach(arguments::add);
        }
        return arguments;
    }
}
