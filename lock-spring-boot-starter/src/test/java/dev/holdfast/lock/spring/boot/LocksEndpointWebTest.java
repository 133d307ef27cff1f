package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.admin.LockAdmin;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;

/** The endpoint of locks by HTTP. */
@Tag("second-build")
class LocksEndpointWebTest {

    @TempDir
    private static Path directory;

    private final WebApplicationContextRunner application = new WebApplicationContextRunner(
                    AnnotationConfigServletWebServerApplicationContext::new)
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class,
                    HoldfastEndpointAutoConfiguration.class,
                    HoldfastWebAutoConfiguration.class,
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    JacksonEndpointAutoConfiguration.class,
                    ManagementContextAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    HttpMessageConvertersAutoConfiguration.class,
                    TomcatServletWebServerAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class))
            .withPropertyValues(
                    "holdfast.provider=memory",
                    "server.port=0",
                    "server.tomcat.basedir=" + directory,
                    "management.endpoints.web.exposure.include=locks");

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void locks_areListed_andReleasedByForceOnlyWhenSwitchedOn() {
        application.run(context -> {
            try (Lease lease = context.getBean(Locks.class).named("job").acquire()) {
                assertThat(send(context, "GET", "/actuator/locks?prefix=j&limit=5"))
                        .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(200))
                        .satisfies(answer -> assertThat(answer.body())
                                .contains("\"fencingToken\":\"" + lease.fencingToken() + "\""));
                assertThat(send(context, "DELETE", release(lease)).statusCode()).isEqualTo(405);
            }
        });
        application
                .withPropertyValues("management.endpoint.locks.access=UNRESTRICTED")
                .run(context -> {
                    Lease lease = context.getBean(Locks.class).named("job").acquire();
                    assertThat(send(context, "DELETE", release(lease)).body())
                            .isEqualTo("{\"name\":\"job\",\"released\":true}");
                });
    }

    private static String release(Lease lease) {
        return "/actuator/locks?name=job&fencingToken=" + lease.fencingToken();
    }

    @Test
    void locks_ofAStoreThatDoesNotAnswer_areAnsweredWithTheReason() {
        application
                .withBean(LockAdmin.class, LocksEndpointWebTest::silent)
                .withPropertyValues("management.endpoint.locks.access=UNRESTRICTED")
                .run(context -> {
                    for (String method : new String[] {"GET", "DELETE"}) {
                        HttpResponse<String> answer = send(context, method, "/actuator/locks?name=job&fencingToken=1");
                        assertThat(answer.statusCode()).as(method).isEqualTo(503);
                        assertThat(answer.body())
                                .as(method)
                                .isEqualTo("{\"error\":\"the cable is cut, see holdfast.jdbc.pool-size\"}");
                    }
                });
    }

    private static LockAdmin silent() {
        return (LockAdmin) Proxy.newProxyInstance(
                LockAdmin.class.getClassLoader(),
                new Class<?>[] {LockAdmin.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "toString" -> "the administration of a store that does not answer";
                    case "close" -> null;
                    default -> throw new LockUnavailableException("the cable is cut, see lock.jdbc.pool-size", null);
                });
    }

    private HttpResponse<String> send(AssertableWebApplicationContext context, String method, String path)
            throws Exception {
        int port = context.getSourceApplicationContext(AnnotationConfigServletWebServerApplicationContext.class)
                .getWebServer()
                .getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
