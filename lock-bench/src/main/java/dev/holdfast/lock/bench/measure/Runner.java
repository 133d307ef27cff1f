package dev.holdfast.lock.bench.measure;

import dev.holdfast.lock.bench.peer.Candidate;
import dev.holdfast.lock.bench.peer.Candidates;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process in which one candidate is measured. Does what it is told on its standard input, line by line, and ends with it,
 * whatever it is at; answers on its standard output.
 */
final class Runner {

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final PrintStream said =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    private final Stage stage;

    private Runner(Candidate candidate) {
        this.stage = new Stage(candidate, () -> {
            say(new Answer.Ready());
            String line = told.take();
            if (!line.equals(Line.GO)) {
                throw new IllegalStateException("not at the gate: " + line);
            }
        });
    }

    /** @param arguments the id of the candidate */
    @SuppressWarnings("SystemOut") // what a library prints is not an answer
    public static void main(String[] arguments) throws IOException {
        System.setOut(System.err);
        Runner runner = new Runner(Candidates.all().stream()
                .filter(candidate -> candidate.id().equals(arguments[0]))
                .findFirst()
                .orElseThrow());
        Thread worker = new Thread(runner::work, "runner");
        worker.setDaemon(true);
        worker.start();
        runner.listen();
        Runtime.getRuntime().halt(0);
    }

    private void listen() throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            told.add(line);
        }
    }

    private void work() {
        while (true) {
            try {
                say(perform(Line.order(told.take())));
            } catch (InterruptedException e) {
                return; // nobody does that
            }
        }
    }

    private Answer perform(Order order) {
        try {
            return order.perform(stage);
        } catch (Throwable e) {
            e.printStackTrace();
            return new Answer.Failed(e.toString());
        }
    }

    private void say(Answer answer) {
        said.println(Line.of(answer));
        said.flush();
    }
}
