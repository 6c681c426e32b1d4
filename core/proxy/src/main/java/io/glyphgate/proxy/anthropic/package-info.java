/** The doors of Anthropic's API: makes chats of messages, and messages of what the choices hold. */
@NullMarked
package io.glyphgate.proxy.anthropic;

import org.jspecify.annotations.NullMarked;
