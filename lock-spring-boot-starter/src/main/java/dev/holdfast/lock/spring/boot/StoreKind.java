package dev.holdfast.lock.spring.boot;

/** The stores whose address the application may have configured for itself. */
enum StoreKind {
    /** The Redis of {@code spring-boot-data-redis}. */
    REDIS("redis", "lock.redis.uri", "spring.data.redis"),
    /** The database of {@code spring-boot-jdbc}. */
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
    String provider() {
        return provider;
    }

    /** The key that has the address. */
    String addressKey() {
        return addressKey;
    }

    /** Boot's properties for the application's own connections. */
    String propertiesOfBoot() {
        return propertiesOfBoot;
    }

    /** What to set, for people. */
    String addressProperties() {
        return SpringNames.of(addressKey) + " (or " + propertiesOfBoot
                + ".*, from which Boot configures its own connections)";
    }
}
