package dev.holdfast.lock.spring.boot.slices;

import dev.holdfast.lock.spring.CurrentLease;
import dev.holdfast.lock.spring.Locked;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** What the locks guard. */
@Service
class Stock {

    private final JdbcClient jdbc;

    Stock(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Adds an article, and returns whether it was under its lock. */
    @Locked("stock:#{#article}")
    @Transactional
    public boolean add(String article) {
        insert(article);
        return CurrentLease.optional().isPresent();
    }

    /** Adds an article, and returns the token that has entered the fence. */
    @Locked(value = "stock:#{#article}", fenced = true)
    @Transactional
    public long addFenced(String article) {
        insert(article);
        return CurrentLease.token();
    }

    private void insert(String article) {
        jdbc.sql("insert into article (name) values (?)").param(article).update();
    }
}
