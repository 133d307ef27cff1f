package dev.holdfast.lock.spring.boot.internal;

/** The stores whose address the application may have configured for itself. */
public enum StoreKind {
    /** The Redis of {@code spring.data.redis}. */
    REDIS("redis", "lock.redis.uri", "spring.data.redis", "spring-boot-starter-data-redis"),
    /** The database of {@code spring.datasource}. */
    JDBC("jdbc", "lock.jdbc.url", "spring.datasource", "spring-boot-starter-jdbc");

    private final String provider;
    private final String addressKey;
    private final String propertiesOfBoot;
    private final String starterOfBoot;

    StoreKind(String provider, String addressKey, String propertiesOfBoot, String starterOfBoot) {
        this.provider = provider;
        this.addressKey = addressKey;
        this.propertiesOfBoot = propertiesOfBoot;
        this.starterOfBoot = starterOfBoot;
    }

    /** The name of the provider. */
    public String provider() {
        return provider;
    }

    /** The key for the address. */
    public String addressKey() {
        return addressKey;
    }

    /** Boot's properties for the application's own connections. */
    public String propertiesOfBoot() {
        return propertiesOfBoot;
    }

    /** Boot's module that reads these properties. */
    public String starterOfBoot() {
        return starterOfBoot;
    }
}
