package dev.holdfast.lock.bench.measure;

/** Close the candidate: nothing of it is at work between two scenarios. */
record Shut() implements Order {

    @Override
    public Answer perform(Stage stage) {
        stage.shut();
        return new Answer.Done();
    }
}
