package dev.holdfast.lock.spring.boot;

import dev.holdfast.lock.LockException;
import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.LockUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers a request that did not get its lock with status 503 and the time to retry, instead of 500. Handlers of the application
 * for these exceptions, or for all, come first.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class LockProblems {

    private static final Logger log = LoggerFactory.getLogger(LockProblems.class);

    private static final String SECONDS = "5";

    /** The name of the lock goes only to the log: it may contain something that the client must not know. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> busy(LockTimeoutException e) {
        return unavailable(e, "The resource that the request needs is in use.");
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> unavailable(LockUnavailableException e) {
        return unavailable(e, "The resource that the request needs cannot be reserved at the moment.");
    }

    private static ResponseEntity<ProblemDetail> unavailable(LockException e, String detail) {
        log.debug("a request is answered with 503", e);
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, SECONDS)
                .body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail));
    }
}
