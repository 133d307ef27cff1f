package dev.holdfast.lock.spring.boot3.slices;

import dev.holdfast.lock.LockTimeoutException;
import dev.holdfast.lock.spring.CurrentLease;
import dev.holdfast.lock.spring.Locked;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The web's side of the application. */
@RestController
class StockController {

    @Locked(value = "count", acquireTimeout = "0s")
    @GetMapping("/count")
    public String count() {
        return CurrentLease.optional().isPresent() ? "locked" : "not locked";
    }

    /** As a service answers in a test that replaces it. */
    @GetMapping("/busy")
    public String busy() {
        throw new LockTimeoutException("stock:7 is held");
    }
}
