package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.Locks;
import dev.holdfast.lock.redis.RedisSslBundles;
import java.util.Properties;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslOptions;

/** An SSL bundle of the application, for as long as a store of lock-redis is opened with it. */
final class RedisBundle {

    private RedisBundle() {}

    static Locks opened(SslBundle bundle, Properties settings, Function<Properties, Locks> opening) {
        SSLContext context = bundle.createSslContext();
        SslOptions options = bundle.getOptions();
        SSLParameters parameters = new SSLParameters(options.getCiphers(), options.getEnabledProtocols());
        String name = settings.getProperty(LockSettings.SSL_BUNDLE);
        for (int attempt = 1; ; attempt++) {
            String free = attempt == 1 ? name : name + "-" + attempt;
            try (RedisSslBundles.@Nullable Registration registration = register(free, context, parameters)) {
                if (registration != null) {
                    settings.setProperty(LockSettings.SSL_BUNDLE, free);
                    return opening.apply(settings);
                }
            }
        }
    }

    /** Returns null while another application in this JVM opens its locks with a bundle of that name. */
    private static RedisSslBundles.@Nullable Registration register(
            String name, SSLContext context, SSLParameters parameters) {
        try {
            return RedisSslBundles.register(name, context, parameters);
        } catch (IllegalStateException e) {
            return null;
        }
    }
}
