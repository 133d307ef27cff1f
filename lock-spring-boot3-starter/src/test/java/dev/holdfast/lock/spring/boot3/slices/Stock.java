package dev.holdfast.lock.spring.boot3.slices;

import dev.holdfast.lock.spring.CurrentLease;
import dev.holdfast.lock.spring.Locked;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** What the locks guard. */
@Service
class Stock {

    private final Articles articles;

    Stock(Articles articles) {
        this.articles = articles;
    }

    /** Adds an article, and returns whether it was under its lock. */
    @Locked("stock:#{#article}")
    @Transactional
    public boolean add(String article) {
        articles.save(new Article(null, article));
        return CurrentLease.optional().isPresent();
    }

    /** Adds an article, and returns the token that has entered the fence. */
    @Locked(value = "stock:#{#article}", fenced = true)
    @Transactional
    public long addFenced(String article) {
        articles.save(new Article(null, article));
        return CurrentLease.token();
    }
}
