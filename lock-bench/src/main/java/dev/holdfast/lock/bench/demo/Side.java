package dev.holdfast.lock.bench.demo;

/** Where a lock is taken from. */
enum Side {
    /** Redis alone. */
    PLAIN("plain Redis"),
    /** The composite of the same Redis and a database. */
    COMPOSITE("composite");

    private final String title;

    Side(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
