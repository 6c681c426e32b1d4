package io.glyphgate.proxy.http;

import io.glyphgate.proxy.anthropic.AnthropicDoors;
import io.glyphgate.proxy.config.ProxyConfig;
import io.glyphgate.proxy.generate.Abort;
import io.glyphgate.proxy.generate.Generate;
import io.glyphgate.proxy.generate.ModelList;
import io.glyphgate.proxy.openai.Derender;
import io.glyphgate.proxy.openai.OpenAiDoors;
import io.glyphgate.proxy.openai.Render;
import io.glyphgate.proxy.secure.Secrets;
import io.glyphgate.proxy.tokenize.TokenDoors;
import java.util.function.BooleanSupplier;

/**
 * What is behind the doors: the parts that one configuration leads to.
 *
 * @param config the configuration
 * @param generate answers requests to generate
 * @param abort aborts them
 * @param tokens answers at the doors for tokens and texts
 * @param openai answers at the doors for chats and completions
 * @param render makes generate requests of chats and completions
 * @param derender makes chats and completions of tokens
 * @param anthropic answers at the doors of Anthropic's API
 * @param models the list of models
 * @param secrets its keys and certificates
 * @param servable whether there are servers for requests
 */
public record Services(
        ProxyConfig config,
        Generate generate,
        Abort abort,
        TokenDoors tokens,
        OpenAiDoors openai,
        Render render,
        Derender derender,
        AnthropicDoors anthropic,
        ModelList models,
        Secrets secrets,
        BooleanSupplier servable) {}
