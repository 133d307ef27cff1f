package dev.holdfast.lock.spring.boot.internal;

/** The stores whose address the application may have configured for itself. */
public enum StoreKind {
    /** The Redis of {@code spring.data.redis}. */
    REDIS("redis", "lock.redis.uri", "spring.data.redis"),
    /** The database of {@code spring.datasource}. */
    JDBC("jdbc", "lock.jdbc.url", "spring.datasource");

    private final String provider;
    private final String addressKey;
    private final String propertiesOfBoot;

    StoreKind(String provider, String addressKey, String propertiesOfBoot) {
        this.provider = provider;
        this.addressKey = addressKey;
        this.propertiesOfBoot = propertiesOfBoot;
    }

    /** The name of the provider. */
    public String provider() {
        return provider;
    }

    /** The key that has the address. */
    public String addressKey() {
        return addressKey;
    }

    /** Boot's properties for the application's own connections. */
    public String propertiesOfBoot() {
        return propertiesOfBoot;
    }
}
