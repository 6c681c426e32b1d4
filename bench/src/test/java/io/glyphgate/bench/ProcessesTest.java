package io.glyphgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ProcessesTest {
    private static final long PID = ProcessHandle.current().pid();

    private static void burn(long nanos) {
        long until = System.nanoTime() + nanos;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    @Test
    void threadsThatLiveAreCounted() throws IOException, InterruptedException {
        AtomicBoolean stop = new AtomicBoolean();
        Thread thread = new Thread(() -> {
            while (!stop.get()) {
                Thread.onSpinWait();
            }
        });
        thread.start();
        Processes.Cpu before = Processes.cpu(PID);
        while (Processes.cpu(PID).since(before) < 50_000_000) {
            Thread.onSpinWait();
        }
        stop.set(true);
        thread.join();
    }

    @Test
    void threadsThatEndedAreCounted() throws IOException, InterruptedException {
        Processes.Cpu before = Processes.cpu(PID);
        Thread thread = new Thread(() -> burn(300_000_000));
        thread.start();
        Processes.Cpu meanwhile = Processes.cpu(PID);
        thread.join();
        assertThat(Processes.cpu(PID).since(meanwhile)).isGreaterThan(10_000_000);
        assertThat(Processes.cpu(PID).since(before)).isGreaterThan(10_000_000);
    }

    @Test
    void compilersAreSomeOfIt() throws IOException {
        assertThat(Processes.compilerNanos(PID)).isBetween(1L, Processes.cpu(PID).ticks() + 1_000_000_000L);
    }

    @Test
    void memoryIsThatOfTheProcess() throws IOException {
        assertThat(Processes.rssMegabytes(PID)).isBetween(20.0, 20_000.0);
    }
}
