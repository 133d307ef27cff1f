package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spring.Locked;
import dev.holdfast.lock.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Locked methods that web requests call, on a server with a number of threads. */
@Tag("second-build")
@ExtendWith(OutputCaptureExtension.class)
class WebRequestsTest {

    private static final int THREADS = 20;

    @TempDir
    private static Path directory;

    private final WebApplicationContextRunner application = new WebApplicationContextRunner(
                    AnnotationConfigServletWebServerApplicationContext::new)
            .withConfiguration(AutoConfigurations.of(
                    HoldfastAutoConfiguration.class,
                    HoldfastLockedAutoConfiguration.class,
                    HoldfastWebAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    HttpMessageConvertersAutoConfiguration.class,
                    TomcatServletWebServerAutoConfiguration.class,
                    DispatcherServletAutoConfiguration.class,
                    WebMvcAutoConfiguration.class))
            .withBean(Shop.class)
            .withBean(Till.class)
            .withPropertyValues(
                    "holdfast.provider=memory",
                    "server.port=0",
                    "server.tomcat.threads.max=" + THREADS,
                    "server.tomcat.basedir=" + directory);

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void requestsOfAHeldLock_moreThanThreads_leaveThreadsForOthers(CapturedOutput output) {
        application.withPropertyValues("holdfast.web.acquire-timeout=1h").run(context -> {
            List<CompletableFuture<HttpResponse<String>>> sales;
            try (Lease lease = context.getBean(Locks.class).named("till").acquire()) {
                sales = IntStream.range(0, 2 * THREADS)
                        .mapToObj(i -> get(context, "/sale"))
                        .toList();
                Await.until(
                        "all but those that wait are answered",
                        () -> sales.stream().filter(CompletableFuture::isDone).count() == 2 * THREADS - 15);
                assertThat(get(context, "/up").get().body()).isEqualTo("up");
                assertThat(sales.stream().filter(CompletableFuture::isDone)).allSatisfy(sale -> {
                    assertThat(sale.get().statusCode()).isEqualTo(503);
                    assertThat(sale.get().headers().firstValue("Retry-After")).contains("5");
                    assertThat(sale.get().body()).contains("\"status\":503").doesNotContain("till");
                });
                assertThat(lease.isHeld()).isTrue();
            }
            assertThat(output).containsOnlyOnce("15 web requests wait for locks");
            assertThat(sales)
                    .filteredOn(sale -> sale.join().statusCode() == 200)
                    .hasSize(15);
        });
    }

    @Test
    void wait_ofARequest_endsByDefault() {
        application.withPropertyValues("holdfast.web.acquire-timeout=10ms").run(context -> {
            try (Lease lease = context.getBean(Locks.class).named("till").acquire()) {
                assertThat(get(context, "/sale").get().statusCode()).isEqualTo(503);
                assertThat(lease.isHeld()).isTrue();
            }
            assertThat(get(context, "/sale").get().body()).isEqualTo("sold");
        });
    }

    @Test
    void handlerOfTheApplication_comesFirst() {
        application
                .withBean(OwnAnswer.class)
                .withPropertyValues("holdfast.acquire-timeout=10ms")
                .run(context -> {
                    try (Lease lease =
                            context.getBean(Locks.class).named("till").acquire()) {
                        assertThat(get(context, "/sale").get().statusCode()).isEqualTo(409);
                        assertThat(lease.isHeld()).isTrue();
                    }
                });
    }

    @Test
    void answer_switchedOff_isThatOfTheApplication() {
        application
                .withPropertyValues("holdfast.web.problems=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockProblems.class));
    }

    private CompletableFuture<HttpResponse<String>> get(AssertableWebApplicationContext context, String path) {
        int port = context.getSourceApplicationContext(AnnotationConfigServletWebServerApplicationContext.class)
                .getWebServer()
                .getPort();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    @RestController
    static class Shop {

        private final Till till;

        Shop(Till till) {
            this.till = till;
        }

        @GetMapping("/sale")
        String sale() {
            return till.sell();
        }

        @GetMapping("/up")
        String up() {
            return "up";
        }
    }

    static class Till {

        @Locked("till")
        public String sell() {
            return "sold";
        }
    }

    @ControllerAdvice
    static class OwnAnswer {

        @ExceptionHandler
        ResponseEntity<String> busy(LockTimeoutException e) {
            return ResponseEntity.status(409).body("busy");
        }
    }
}
