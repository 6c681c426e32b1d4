package io.glyphgate.proxy.http;

import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.plugin.Plugin;
import io.glyphgate.proxy.plugin.Registry;
import io.glyphgate.proxy.pool.Endpoint;
import io.glyphgate.proxy.pool.Pool;
import io.glyphgate.proxy.wire.JsonOut;
import java.util.List;
import java.util.Locale;

/** What operators can look at. */
public final class AdminPages {
    private AdminPages() {}

    /** The pools, what they are for, and the state of each of their servers. */
    public static byte[] pools(List<Pool> pools) {
        JsonOut out = new JsonOut();
        out.beginObject().name("pools").beginArray();
        for (Pool pool : pools) {
            ProxyConfig.Pool config = pool.config();
            out.beginObject().name("name").string(pool.name());
            out.name("model").string(config.model());
            out.name("served_model").string(pool.servedModel());
            out.name("role").string(lower(config.role()));
            out.name("tokenizer").string(lower(config.tokenizer()));
            out.name("policy").string(config.policy().name());
            out.name("endpoints").beginArray();
            for (Endpoint endpoint : pool.endpoints()) {
                out.beginObject().name("id").string(endpoint.id());
                out.name("state").string(endpoint.state().label());
                out.name("misfits").beginArray();
                endpoint.misfits().forEach(out::string);
                out.endArray();
                out.name("in_flight").number(endpoint.inFlight());
                out.name("tls").bool("https".equals(endpoint.uri().getScheme()));
                out.name("api_key").bool(endpoint.access().authorization().isPresent());
                out.endObject();
            }
            out.endArray().endObject();
        }
        return out.endArray().endObject().toByteArray();
    }

    /** The plugins that are loaded, and those that were skipped and why; and what the configuration describes. */
    public static byte[] plugins(Registry registry) {
        JsonOut out = new JsonOut();
        out.beginObject().name("plugins").beginArray();
        for (Plugin plugin : registry.plugins()) {
            out.beginObject().name("folder").string(plugin.folder());
            out.name("version").string(plugin.version());
            out.name("spi_version").string(plugin.spiVersion());
            out.name("extensions");
            extensions(out, plugin.extensions());
            out.endObject();
        }
        out.endArray().name("described");
        extensions(out, registry.described());
        out.name("skipped").beginArray();
        for (Plugin.Skipped skipped : registry.skipped()) {
            out.beginObject().name("folder").string(skipped.folder());
            out.name("reason").string(skipped.reason()).endObject();
        }
        return out.endArray().endObject().toByteArray();
    }

    /** What came of reading the configuration again. */
    public static byte[] reload(boolean good, long generation, List<String> messages) {
        JsonOut out = new JsonOut();
        out.beginObject().name("good").bool(good).name("generation").number(generation).name("messages").beginArray();
        messages.forEach(out::string);
        return out.endArray().endObject().toByteArray();
    }

    private static void extensions(JsonOut out, List<Plugin.Extension> extensions) {
        out.beginArray();
        for (Plugin.Extension extension : extensions) {
            out.beginObject().name("kind").string(extension.kind().label());
            out.name("name").string(extension.name()).name("aliases").beginArray();
            extension.aliases().stream().sorted().forEach(out::string);
            out.endArray().endObject();
        }
        out.endArray();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
