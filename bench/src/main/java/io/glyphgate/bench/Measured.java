package io.glyphgate.bench;

/**
 * One run of one scenario.
 *
 * @param way how which process was asked
 * @param scenario the traffic
 * @param requests how many requests were answered
 * @param errors how many were not
 * @param error what was wrong with the first of them; empty if nothing was
 * @param cpuMicros CPU time of the process, user and system, all threads: per token, per request where answers are no streams
 * @param tokensPerSecond tokens of all clients together
 * @param firstTokenP50 milliseconds
 * @param firstTokenP99 milliseconds
 * @param gapP50 milliseconds between the events of a stream
 * @param gapP99 milliseconds
 * @param rss resident memory after it, in MB
 * @param mockCores how much of a core the mock used
 * @param clientCores how much of a core the clients used
 */
record Measured(
        String way,
        String scenario,
        int requests,
        int errors,
        String error,
        double cpuMicros,
        double tokensPerSecond,
        double firstTokenP50,
        double firstTokenP99,
        double gapP50,
        double gapP99,
        double rss,
        double mockCores,
        double clientCores) {
    boolean good() {
        return errors == 0 && requests > 0;
    }
}
