package dev.holdfast.lock.bench.alone;

import static java.util.stream.Collectors.toMap;

import dev.holdfast.lock.bench.peer.Place;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/** Configurations of Holdfast, and how another process is told of one. */
final class Configuration {

    private Configuration() {}

    /** Redis, on this port of the loopback. */
    static Properties redis(int port, String namespace) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "redis");
        settings.setProperty("lock.namespace", namespace);
        settings.setProperty("lock.redis.uri", "redis://127.0.0.1:" + port);
        return settings;
    }

    static Properties postgreSql(Place place, String namespace) {
        Properties settings = new Properties();
        settings.setProperty("lock.provider", "jdbc");
        settings.setProperty("lock.namespace", namespace);
        settings.setProperty("lock.jdbc.url", place.jdbcUrl());
        settings.setProperty("lock.jdbc.username", place.jdbcUsername());
        return settings;
    }

    /** As {@code key=value} each. */
    static List<String> toArguments(Properties settings) {
        return settings.stringPropertyNames().stream()
                .map(key -> key + "=" + settings.getProperty(key))
                .toList();
    }

    /** As the variables that name the same keys. */
    static Map<String, String> toEnvironment(Properties settings) {
        return settings.stringPropertyNames().stream()
                .collect(toMap(
                        key -> key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'),
                        settings::getProperty));
    }

    static Properties fromArguments(Collection<String> arguments) {
        Properties settings = new Properties();
        for (String argument : arguments) {
            int sign = argument.indexOf('=');
            settings.setProperty(argument.substring(0, sign), argument.substring(sign + 1));
        }
        return settings;
    }
}
