package dev.holdfast.lock.spring.boot;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which field of {@link HoldfastProperties} has the value of which key of Holdfast. */
final class BoundKeys {

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    BoundKeys(HoldfastProperties properties) {
        values.put("lock.provider", properties.getProvider());
        values.put("lock.namespace", properties.getNamespace());
        values.put("lock.lease", properties.getLease());
        values.put("lock.acquire-timeout", properties.getAcquireTimeout());
        values.put("lock.max-local-handoffs", properties.getMaxLocalHandoffs());
        values.put("lock.call-timeout", properties.getCallTimeout());
        values.put("lock.application", properties.getApplication());
        values.put("lock.token-floor", properties.getTokenFloor());
        HoldfastJdbcProperties jdbc = properties.getJdbc();
        values.put("lock.jdbc.url", jdbc.getUrl());
        values.put("lock.jdbc.username", jdbc.getUsername());
        values.put("lock.jdbc.password", jdbc.getPassword());
        values.put("lock.jdbc.pool-size", jdbc.getPoolSize());
        values.put("lock.jdbc.max-lifetime", jdbc.getMaxLifetime());
        values.put("lock.jdbc.migrate", jdbc.getMigrate());
        HoldfastRedisProperties redis = properties.getRedis();
        values.put("lock.redis.uri", redis.getUri());
        values.put("lock.redis.username", redis.getUsername());
        values.put("lock.redis.password", redis.getPassword());
        values.put("lock.redis.sentinel-username", redis.getSentinelUsername());
        values.put("lock.redis.sentinel-password", redis.getSentinelPassword());
        values.put("lock.redis.trust-store", redis.getTrustStore());
        values.put("lock.redis.trust-store-password", redis.getTrustStorePassword());
        values.put("lock.redis.ssl-bundle", redis.getSslBundle());
        values.put("lock.redis.pool-size", redis.getPoolSize());
        values.put("lock.redis.timeout", redis.getTimeout());
        HoldfastProperties.Composite composite = properties.getComposite();
        values.put("lock.composite.primary", composite.getPrimary());
        values.put("lock.composite.fallback", composite.getFallback());
        values.put("lock.composite.authority-lease", composite.getAuthorityLease());
    }

    /** Those of the engine. */
    static Set<String> ofEngine() {
        return new BoundKeys(new HoldfastProperties())
                .values.keySet().stream()
                        .filter(key -> key.indexOf('.') == key.lastIndexOf('.'))
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** Every key that has a field, set or not. */
    Set<String> names() {
        return values.keySet();
    }

    /** What is set, as text; a blank value is one that is not set, as of a placeholder with an empty default. */
    Map<String, String> values() {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            String text = value instanceof Duration duration ? duration.toString() : String.valueOf(value);
            if (value != null && !text.isBlank()) {
                texts.put(key, text);
            }
        });
        return texts;
    }
}
