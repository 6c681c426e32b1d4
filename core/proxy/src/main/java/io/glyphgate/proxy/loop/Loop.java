package io.glyphgate.proxy.loop;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One thread, and the sockets for which it waits. */
public final class Loop {
    private static final System.Logger LOG = System.getLogger(Loop.class.getName());

    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** What waits until the selector has looked once more. Of the loop's thread only. */
    private final Queue<Runnable> later = new ArrayDeque<>();

    private final Consumer<SelectionKey> ready = Loop::ready;
    private volatile boolean closed;
    private volatile boolean ended;

    /** What a socket belongs to. */
    interface Guest {
        /** The socket can do what the key is interested in. */
        void ready(SelectionKey key);

        /** The loop ends. */
        void expelled();
    }

    /** The thread of a loop. */
    private static final class LoopThread extends Thread {
        LoopThread(Loop loop, String name) {
            super(loop::run, name);
            setDaemon(true);
        }
    }

    /** Whether the thread that asks is a loop's, so that it may not wait. */
    public static boolean isCurrent() {
        return Thread.currentThread() instanceof LoopThread;
    }

    Loop(String name) throws IOException {
        selector = Selector.open();
        new LoopThread(this, name).start();
    }

    /** Prepares a stream to flow here. */
    public Flow flow(SocketChannel source, Step step) {
        return new Flow(this, source, step);
    }

    /**
     * Watches a socket from the next turn on: that of {@link #turn}, or of whatever is begun here next. From now on the socket no
     * longer waits by itself: a write takes what there is room for.
     *
     * @param readable called here when there are bytes, or the socket has ended; false to hear no more
     * @throws IOException if the socket is closed
     */
    public Watch watch(SocketChannel socket, Step readable) throws IOException {
        return new Watch(this, socket, readable);
    }

    /** Has something done by the loop's thread, in the order of the calls. */
    void execute(Runnable task) {
        tasks.add(task);
        turn();
    }

    /** As {@link #execute}, but not before something else turns the loop. */
    void prepare(Runnable task) {
        tasks.add(task);
        if (ended) {
            work(); // nobody else will
        }
    }

    /** Has it look for what is to be done, and forget sockets that wait for nothing here any more, so that they can be closed. */
    public void turn() {
        selector.wakeup();
        if (ended) {
            work(); // nobody else will
        }
    }

    /**
     * Waits for a socket from now on; on the loop only.
     *
     * @param again what tries again, where the socket was here before and is not forgotten yet
     * @return null if it must be tried again
     */
    @Nullable SelectionKey register(SocketChannel socket, int interest, Guest guest, Runnable again) throws IOException {
        if (closed) {
            throw new ClosedSelectorException();
        }
        try {
            return socket.register(selector, interest, guest);
        } catch (CancelledKeyException e) {
            later.add(again);
            return null;
        }
    }

    private void run() {
        while (!closed) {
            try {
                if (later.isEmpty()) {
                    selector.select(ready);
                } else {
                    selector.selectNow(ready);
                    tasks.addAll(later);
                    later.clear();
                }
                work();
            } catch (IOException | RuntimeException e) {
                // a guest keeps its exceptions to itself, so this is the system's
                LOG.log(System.Logger.Level.ERROR, "a loop failed", e);
            }
        }
        selector.keys().forEach(key -> ((Guest) key.attachment()).expelled());
        tasks.addAll(later);
        ended = true;
        work();
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a selector was not closed cleanly", e);
        }
    }

    private void work() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private static void ready(SelectionKey key) {
        ((Guest) key.attachment()).ready(key);
    }

    /** Ends the loop; what is on it is sent away. */
    void close() {
        closed = true;
        selector.wakeup();
    }
}
