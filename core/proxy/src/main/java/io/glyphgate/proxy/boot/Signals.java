package io.glyphgate.proxy.boot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Signals of the operating system. The JDK has no API for them but {@code sun.misc.Signal}, which is asked for by name: where it is
 * missing, or the JVM or the system keeps a signal to itself, the process goes on without.
 */
final class Signals {
    private static final System.Logger LOG = System.getLogger(Signals.class.getName());

    private Signals() {}

    /**
     * Has a signal handled, each time on a thread of its own.
     *
     * @param name its name without {@code SIG}
     * @param handler what is done
     * @return whether it will be
     */
    static boolean on(String name, Runnable handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> type = Class.forName("sun.misc.SignalHandler");
            Object adapter = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) ->
                    switch (method.getName()) {
                        case "handle" -> {
                            handler.run(); // the JDK calls it on a thread of its own
                            yield null;
                        }
                        case "equals" -> arguments != null && proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> "handler of SIG" + name;
                    });
            Method handle = signal.getMethod("handle", signal, type);
            handle.invoke(null, signal.getConstructor(String.class).newInstance(name), adapter);
            return true;
        } catch (InvocationTargetException e) {
            LOG.log(System.Logger.Level.INFO, "SIG{0} is not handled: {1}", name, String.valueOf(e.getCause()));
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.INFO, "SIG{0} is not handled: {1}", name, e.toString());
        }
        return false;
    }
}
