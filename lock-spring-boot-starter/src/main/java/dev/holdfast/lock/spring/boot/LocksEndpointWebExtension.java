package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.LockUnavailableException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link LocksEndpoint} by HTTP. A failure of the store is answered here, with the reason: the application's handlers of exceptions are
 * for its own clients, which must not see it.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
final class LocksEndpointWebExtension {

    private final LocksEndpoint endpoint;

    LocksEndpointWebExtension(LocksEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** As {@link LocksEndpoint#locks}. */
    @ReadOperation
    @SuppressWarnings("deprecation") // as there
    public WebEndpointResponse<Object> locks(
            @org.springframework.lang.Nullable @Nullable String prefix,
            @org.springframework.lang.Nullable @Nullable String after,
            @org.springframework.lang.Nullable @Nullable Integer limit) {
        return response(() -> endpoint.locks(prefix, after, limit));
    }

    /** As {@link LocksEndpoint#forceRelease}. */
    @DeleteOperation
    public WebEndpointResponse<Object> forceRelease(String name, long fencingToken) {
        return response(() -> endpoint.forceRelease(name, fencingToken));
    }

    private static WebEndpointResponse<Object> response(Supplier<Object> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (LockUnavailableException e) {
            return failure(e, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        } catch (LockConfigurationException | UnsupportedOperationException e) {
            return failure(e, WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR);
        }
    }

    private static WebEndpointResponse<Object> failure(RuntimeException failure, int status) {
        return new WebEndpointResponse<>(
                Map.of("error", SpringNames.inWords(String.valueOf(failure.getMessage()))), status);
    }
}
