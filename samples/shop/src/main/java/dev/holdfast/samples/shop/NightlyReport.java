package dev.holdfast.samples.shop;

import dev.holdfast.lock.spring.CurrentLease;
import dev.holdfast.lock.spring.Locked;
import dev.holdfast.lock.spring.OnBusy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job that every node schedules and one node runs. The others find the lock busy and skip; the minimum hold keeps it busy for
 * nodes whose clocks are late.
 */
@Component
class NightlyReport {

    private final JdbcTemplate database;

    NightlyReport(JdbcTemplate database) {
        this.database = database;
    }

    @Scheduled(fixedRateString = "${shop.report.every}")
    @Locked(names = "nightly-report", onBusy = OnBusy.SKIP, minimumHold = "${shop.report.minimum-hold:1h}")
    public void send() {
        database.update(
                "insert into report (sent_by, token) values (?, ?)",
                "process " + ProcessHandle.current().pid(),
                CurrentLease.get().fencingToken());
    }

    int sent() {
        Integer sent = database.queryForObject("select count(*) from report", Integer.class);
        return sent == null ? 0 : sent;
    }
}
