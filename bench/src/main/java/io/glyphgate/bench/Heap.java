package io.glyphgate.bench;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What another Java process of this user has allocated. Asking it starts the JDK's own agent there. */
final class Heap implements AutoCloseable {
    private final JMXConnector connector;
    private final MBeanServerConnection beans;
    private final ObjectName threads;

    /** Connects to a process that this one has started: what comes from there is trusted. */
    @SuppressWarnings("BanJNDI")
    Heap(long pid) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            String address = machine.startLocalManagementAgent();
            machine.detach();
            connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
            beans = connector.getMBeanServerConnection();
            threads = new ObjectName("java.lang:type=Threading");
        } catch (AttachNotSupportedException | JMException e) {
            throw new IOException("process " + pid + " does not tell what it allocates", e);
        }
    }

    /** Bytes that all threads together have allocated so far. */
    long allocated() throws IOException {
        try {
            return (Long) beans.getAttribute(threads, "TotalThreadAllocatedBytes");
        } catch (JMException e) {
            throw new IOException("the process does not tell what it allocates", e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
