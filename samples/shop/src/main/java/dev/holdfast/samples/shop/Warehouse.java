package dev.holdfast.samples.shop;

import dev.holdfast.lock.spring.Locked;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Articles and their stock. */
@Service
class Warehouse {

    private final JdbcTemplate database;

    Warehouse(JdbcTemplate database) {
        this.database = database;
    }

    /**
     * Sells one piece. It reads the stock and writes it back, which is correct only because no other node does so meanwhile: the
     * lock is around the transaction, so the next node reads the stock that this one has committed.
     *
     * @return whether one was in stock
     */
    @Locked("stock:#{#article}")
    @Transactional
    public boolean sell(String article) {
        int stock = stock(article);
        if (stock <= 0) {
            return false;
        }
        database.update("update article set stock = ? where name = ?", stock - 1, article);
        return true;
    }

    int stock(String article) {
        Integer stock = database.queryForObject("select stock from article where name = ?", Integer.class, article);
        return stock == null ? 0 : stock;
    }
}
