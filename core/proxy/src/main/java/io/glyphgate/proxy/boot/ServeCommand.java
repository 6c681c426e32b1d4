package io.glyphgate.proxy.boot;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs the proxy until the process is told to end. */
@Command(name = "serve", description = "Run the proxy.", mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Mixin
    private ConfigOption config = new ConfigOption();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        Setup setup = Setup.of(config.read());
        WarmUp warmUp = setup.warmUp(); // the proxy is not ready before
        Proxy proxy = new Proxy(setup);
        Stop.whenTold(proxy);
        Signals.on("HUP", () -> proxy.reload("SIGHUP"));
        proxy.watch();
        warmUp.await();
        spec.commandLine().getOut().println("glyphgate listens on port " + proxy.port());
        spec.commandLine().getOut().flush();
        Thread.currentThread().join(); // a signal ends the process
        return 0;
    }
}
