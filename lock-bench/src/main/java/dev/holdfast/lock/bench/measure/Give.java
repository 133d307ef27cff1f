package dev.holdfast.lock.bench.measure;

/** Give the lock back that was taken. */
record Give() implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        long began = System.nanoTime();
        stage.give();
        return new Answer.Given(began);
    }
}
