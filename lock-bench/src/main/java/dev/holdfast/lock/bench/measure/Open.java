package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Place;

/** Open the candidate. */
record Open(Place place) implements Order {

    @Override
    public Answer perform(Stage stage) throws Exception {
        stage.open(place);
        return new Answer.Done();
    }
}
