package io.glyphgate.proxy.route;

import io.glyphgate.proxy.config.ProxyConfig.Pool;
import io.glyphgate.proxy.config.ProxyConfig.UpstreamDerender;
import io.glyphgate.proxy.route.Verdict.Can;
import io.glyphgate.proxy.route.Verdict.Cannot;

/**
 * The one table that says what a pool can serve. Rows are the tokenizer setting of the pool, columns what the request needs:
 *
 * <table>
 * <caption>what a pool can serve</caption>
 * <tr><th>setting</th><th>verbatim</th><th>verbatim, stop strings</th><th>text</th><th>derender</th><th>derender stream</th>
 *     <th>a plugin's mode</th><th>a plugin's mode on tokens</th></tr>
 * <tr><td>none</td><td>forward</td><td>no</td><td>no</td><td>no</td><td>no</td><td>no</td><td>proxy</td></tr>
 * <tr><td>upstream</td><td>forward</td><td>forward</td><td>forward</td><td>forward (setting)</td><td>no (setting)</td>
 *     <td>no</td><td>proxy</td></tr>
 * <tr><td>proxy</td><td>forward</td><td>proxy</td><td>proxy</td><td>proxy</td><td>proxy</td><td>proxy</td><td>proxy</td></tr>
 * </table>
 *
 * <p>A request whose prompt is a text, or messages, is forwarded to pools whose servers are asked for that themselves, and served
 * by the proxy at tokens where it can make the prompt.
 */
public final class Capability {
    private Capability() {}

    /** Whether, and how, a pool can serve a request. */
    public static Verdict of(Pool pool, Needs needs) {
        switch (pool.role()) {
            case PREFILL -> {
                return new Cannot("only prefills (role: prefill)");
            }
            case RENDER -> {
                return new Cannot("only renders (role: render)");
            }
            case DECODE, BOTH -> {
                // what it can do is its tokenizer's matter
            }
        }
        if (needs.prompt() != Needs.Prompt.CLIENT) {
            return texts(pool, needs.prompt());
        }
        return switch (pool.tokenizer()) {
            case NONE -> none(needs);
            case UPSTREAM -> upstream(pool, needs);
            case PROXY -> proxy(needs);
        };
    }

    private static Verdict texts(Pool pool, Needs.Prompt prompt) {
        return switch (pool.tokenizer()) {
            case NONE -> new Cannot("has no tokenizer (tokenizer: none)");
            case UPSTREAM -> switch (pool.chat()) {
                case NATIVE -> prompt != Needs.Prompt.PROXY_ONLY
                        ? new Can(Way.FORWARD)
                        : new Cannot("leaves texts to its servers (tokenizer: upstream), which are not asked for this");
                case NONE -> new Cannot("leaves texts to its servers (tokenizer: upstream), which are not to be asked for this (chat: none)");
            };
            case PROXY -> prompt != Needs.Prompt.SERVER
                    ? new Can(Way.PROXY)
                    : new Cannot("takes tokens only, and its model has no chat template here to make them with (chat-template)");
        };
    }

    private static Verdict none(Needs needs) {
        if (!needs.needs().isEmpty()) {
            return new Cannot("has no tokenizer (tokenizer: none)");
        }
        if (needs.stopStrings()) {
            return new Cannot("has no tokenizer to match stop strings with (tokenizer: none)");
        }
        return new Can(needs.verbatim() ? Way.FORWARD : Way.PROXY);
    }

    private static Verdict upstream(Pool pool, Needs needs) {
        return switch (needs.mode()) {
            case "tokens", "text" -> new Can(Way.FORWARD);
            case "derender" -> derender(pool.upstreamDerender(), needs.stream());
            default -> needs.needs().isEmpty() && !needs.stopStrings()
                    ? new Can(Way.PROXY)
                    : new Cannot("leaves the output to its servers (tokenizer: upstream), which do not know this output mode");
        };
    }

    private static Verdict derender(UpstreamDerender ability, boolean stream) {
        return switch (ability) {
            case NONE -> new Cannot("has servers that cannot derender (upstream-derender: none)");
            case BATCH -> stream
                    ? new Cannot("has servers that refuse derender with stream (upstream-derender: batch)")
                    : new Can(Way.FORWARD);
            case STREAM -> new Can(Way.FORWARD);
        };
    }

    private static Verdict proxy(Needs needs) {
        return new Can(needs.verbatim() && !needs.stopStrings() ? Way.FORWARD : Way.PROXY);
    }
}
