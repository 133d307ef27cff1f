package dev.holdfast.lock.bench.measure;

/** Take the lock, and keep it. */
record Ask(String name) implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        long began = System.nanoTime();
        stage.hold(name);
        return new Answer.Asked(began, System.nanoTime());
    }
}
