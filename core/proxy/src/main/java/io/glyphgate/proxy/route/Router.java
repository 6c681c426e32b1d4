package io.glyphgate.proxy.route;

import io.glyphgate.proxy.config.ProxyConfig.Prefer;
import io.glyphgate.proxy.config.ProxyConfig.Role;
import io.glyphgate.proxy.config.ProxyConfig.TokenizerSetting;
import io.glyphgate.proxy.pool.Pool;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/** Finds the pools that can serve a request. A pure function of the request's needs and the configured pools. */
public final class Router {
    private final Map<String, ServedModel> models = new LinkedHashMap<>();
    private final List<ServedModel> distinct;
    private final List<Pool> pools;
    private final Map<String, List<Pool>> poolsOfModel = new HashMap<>();
    private final Prefer prefer;

    /** A router over models and pools. */
    public Router(Collection<ServedModel> models, List<Pool> pools, Prefer prefer) {
        distinct = List.copyOf(models);
        for (ServedModel model : models) {
            this.models.put(model.name(), model);
            model.config().aliases().forEach(alias -> this.models.put(alias, model));
        }
        this.pools = List.copyOf(pools);
        this.pools.forEach(pool -> poolsOfModel.computeIfAbsent(pool.config().model(), name -> new ArrayList<>()).add(pool));
        this.prefer = prefer;
    }

    /** All models, in the order of the configuration. */
    public List<ServedModel> models() {
        return distinct;
    }

    /** All pools, in the order of the configuration. */
    public List<Pool> pools() {
        return pools;
    }

    /**
     * Finds a model.
     *
     * @param name a name or alias; empty for the only model
     * @throws MisroutedException if there is none
     */
    public ServedModel model(Optional<String> name) {
        if (name.isEmpty()) {
            if (distinct.size() == 1) {
                return distinct.getFirst();
            }
            throw new MisroutedException(
                    400, "model-missing", "model", "model is missing: name one of " + models.keySet() + ".");
        }
        ServedModel model = models.get(name.get());
        if (model == null) {
            throw new MisroutedException(
                    404,
                    "unknown-model",
                    "model",
                    "The model `" + name.get() + "` does not exist. Valid names: " + String.join(", ", models.keySet()) + ".");
        }
        return model;
    }

    /**
     * Finds the pools that can serve a request, the one to try first at the front.
     *
     * @param model the model
     * @param needs what the request needs
     * @param asked the pool that the client asks for by name
     * @throws MisroutedException if there is none: the message says for every pool why not
     */
    public List<Route> routes(ServedModel model, Needs needs, Optional<String> asked) {
        List<Pool> ofModel = poolsOf(model);
        Map<Pool, Verdict> verdicts = new LinkedHashMap<>();
        ofModel.forEach(pool -> verdicts.put(pool, Capability.of(pool.config(), needs)));
        List<Route> routes = new ArrayList<>();
        verdicts.forEach((pool, verdict) -> {
            if (verdict instanceof Verdict.Can can) {
                routes.add(new Route(pool, can.way(), prefills(pool, ofModel)));
            }
        });
        if (asked.isPresent()) {
            return routes.stream()
                    .filter(route -> route.pool().name().equals(asked.get()))
                    .findFirst()
                    .map(List::of)
                    .orElseThrow(() -> notThisPool(asked.get(), model, needs, verdicts, routes));
        }
        if (routes.isEmpty()) {
            throw new MisroutedException(
                    400,
                    "no-capable-pool",
                    needs.prompt() == Needs.Prompt.CLIENT ? "output_mode" : "model",
                    "No pool of model '" + model.name() + "' can serve " + describe(needs) + ": " + lacks(verdicts) + ".");
        }
        switch (prefer) {
            case NARROWEST -> routes.sort(Comparator.comparing(route -> route.pool().config().tokenizer()));
            case ANY -> Collections.rotate(routes, ThreadLocalRandom.current().nextInt(routes.size()));
        }
        return routes;
    }

    private static List<Pool> prefills(Pool pool, List<Pool> ofModel) {
        return pool.config().role() != Role.DECODE
                ? List.of()
                : ofModel.stream()
                        .filter(other -> other.config().role() == Role.PREFILL)
                        .filter(other -> other.config().kv().group().equals(pool.config().kv().group()))
                        .toList();
    }

    private List<Pool> poolsOf(ServedModel model) {
        return poolsOfModel.getOrDefault(model.name(), List.of());
    }

    /** Whether prompts of a model are computed by servers of their own, so that this proxy owns their transfer. */
    public boolean prefills(ServedModel model) {
        for (Pool pool : poolsOf(model)) {
            if (pool.config().role() == Role.PREFILL) {
                return true;
            }
        }
        return false;
    }

    /**
     * Where the tokens of a model's texts come from.
     *
     * @throws MisroutedException if neither the proxy nor a server has the model's tokenizer
     */
    public TextPlace textPlace(ServedModel model) {
        if (model.tokenizer() != null) {
            return new TextPlace.Here(model.tokenizer());
        }
        List<Pool> ofModel = poolsOf(model);
        Optional<TextPlace.Servers> rendering = renderServers(model);
        if (rendering.isPresent()) {
            return rendering.get(); // no engine is behind them
        }
        List<Pool> servers = ofModel.stream()
                .filter(pool -> pool.config().tokenizer() == TokenizerSetting.UPSTREAM)
                .toList();
        if (servers.isEmpty()) {
            throw new MisroutedException(
                    400,
                    "no-tokenizer",
                    "",
                    "The model '" + model.name() + "' has no tokenizer in this proxy, and none of its pools has one: "
                            + ofModel.stream()
                                    .map(pool -> "'" + pool.name() + "' has tokenizer: none")
                                    .collect(Collectors.joining("; "))
                            + ".");
        }
        return new TextPlace.Servers(servers);
    }

    /** The servers that make the prompts of a model's chats and completions; empty if the proxy makes them. */
    public Optional<TextPlace.Servers> renderServers(ServedModel model) {
        List<Pool> rendering = poolsOf(model).stream()
                .filter(pool -> pool.config().role() == Role.RENDER)
                .toList();
        return rendering.isEmpty() ? Optional.empty() : Optional.of(new TextPlace.Servers(rendering));
    }

    /** The refusal of an output mode that no plugin brings: names those that there are, and which pools serve them. */
    public MisroutedException unknownMode(String mode, ServedModel model, List<Needs> known) {
        String abilities = poolsOf(model).stream()
                .map(pool -> "'" + pool.name() + "' serves "
                        + known.stream()
                                .filter(needs -> Capability.of(pool.config(), needs) instanceof Verdict.Can)
                                .map(Needs::mode)
                                .toList())
                .collect(Collectors.joining("; "));
        return new MisroutedException(
                400, "unknown-output-mode", "output_mode", "The output_mode '" + mode + "' is unknown: " + abilities + ".");
    }

    private MisroutedException notThisPool(
            String asked, ServedModel model, Needs needs, Map<Pool, Verdict> verdicts, List<Route> routes) {
        String why = verdicts.entrySet().stream()
                .filter(entry -> entry.getKey().name().equals(asked))
                .findFirst()
                .map(entry -> entry.getValue() instanceof Verdict.Cannot cannot
                        ? "The pool '" + asked + "' " + cannot.lack()
                        : "The pool '" + asked + "' is not available")
                .orElse(
                        pools.stream().anyMatch(pool -> pool.name().equals(asked))
                                ? "The pool '" + asked + "' does not serve model '" + model.name() + "'"
                                : "There is no pool '" + asked + "'");
        String others = routes.isEmpty()
                ? "no pool can: " + lacks(verdicts)
                : "these can: "
                        + routes.stream().map(route -> route.pool().name()).collect(Collectors.joining(", "));
        return new MisroutedException(
                400, "pool-cannot-serve", "X-Glyphgate-Pool", why + ", so it cannot serve " + describe(needs) + "; " + others
                        + ".");
    }

    private static String describe(Needs needs) {
        String what = needs.prompt() == Needs.Prompt.CLIENT ? "output_mode '" + needs.mode() + "'" : needs.mode();
        return what + (needs.stream() ? " with stream" : "")
                + (needs.stopStrings() ? " and stop strings" : "");
    }

    private static String lacks(Map<Pool, Verdict> verdicts) {
        return verdicts.entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Verdict.Cannot)
                .map(entry -> "'" + entry.getKey().name() + "' " + ((Verdict.Cannot) entry.getValue()).lack())
                .collect(Collectors.joining("; "));
    }
}
