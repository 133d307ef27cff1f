package dev.holdfast.samples.shop;

import dev.holdfast.lock.Locks;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP. */
@RestController
class ShopController {

    private final Warehouse warehouse;
    private final NightlyReport report;
    private final Counter counter;
    private final Locks locks;

    ShopController(Warehouse warehouse, NightlyReport report, Counter counter, Locks locks) {
        this.warehouse = warehouse;
        this.report = report;
        this.counter = counter;
        this.locks = locks;
    }

    @PostMapping("/articles/{article}/sales")
    boolean sell(@PathVariable String article) {
        return warehouse.sell(article);
    }

    @GetMapping("/articles/{article}")
    int stock(@PathVariable String article) {
        return warehouse.stock(article);
    }

    @GetMapping("/reports")
    int reports() {
        return report.sent();
    }

    @PostMapping("/counters/right")
    void countRight() {
        counter.countRight();
    }

    @PostMapping("/counters/wrong")
    void countWrong() throws InterruptedException {
        counter.countWrong();
    }

    @GetMapping("/counters/{name}")
    int count(@PathVariable String name) {
        return counter.value(name);
    }

    /** Acquires a lock and keeps it until this node ends. */
    @PostMapping("/holds/{name}")
    long hold(@PathVariable String name) throws InterruptedException {
        return locks.named(name).acquire().fencingToken();
    }
}
