package io.glyphgate.proxy.openai;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs what this proxy gives clients to carry, so that nobody has it replay what it has not read before. A state is {@code
 * VERSION:HEAD:SIGNATURE}, the latter two in Base64.
 */
final class StateSeal {
    private static final String VERSION = "1";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_ID = 4;
    private static final int SIGNATURE = 16;
    private static final int HASH = 32;
    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(5);

    private static final int ROLE_SAID = 1;
    private static final int ENDED = 2;

    private final SecretKeySpec key;
    private final byte[] keyId;
    private final Duration age;
    private final InstantSource clock;

    /**
     * A seal.
     *
     * @param key the key; all proxies that know it read each other's states
     * @param age how old a state may be
     * @param clock tells the time
     */
    StateSeal(byte[] key, Duration age, InstantSource clock) {
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.age = age;
        this.clock = clock;
        // a hash of the key that tells nothing of its signatures
        keyId = Arrays.copyOf(sign("key".getBytes(StandardCharsets.US_ASCII)), KEY_ID);
    }

    /**
     * What a state says.
     *
     * @param stream the stream, by which its session is found
     * @param step how many chunks it has had
     * @param owner what tells its door, model and choice from others
     * @param context how many tokens at the start of the history gave their text before this proxy saw the stream
     * @param logprobLength how long the tokens were that logprobs told of
     * @param roleSaid whether the role was told
     * @param ended whether the choice has ended
     * @param history the hash of the history
     */
    record State(
            UUID stream,
            int step,
            int owner,
            int context,
            int logprobLength,
            boolean roleSaid,
            boolean ended,
            byte[] history) {}

    /** The signed form of a state. */
    String seal(State state) {
        ByteBuffer head = ByteBuffer.allocate(KEY_ID + 8 + 16 + 4 * 4 + 1 + HASH);
        head.put(keyId).putLong(clock.instant().getEpochSecond());
        head.putLong(state.stream.getMostSignificantBits()).putLong(state.stream.getLeastSignificantBits());
        head.putInt(state.step).putInt(state.owner).putInt(state.context).putInt(state.logprobLength);
        head.put((byte) ((state.roleSaid ? ROLE_SAID : 0) | (state.ended ? ENDED : 0)));
        head.put(state.history);
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        return VERSION + ":" + base64.encodeToString(head.array()) + ":"
                + base64.encodeToString(Arrays.copyOf(sign(head.array()), SIGNATURE));
    }

    /**
     * Reads the signed form.
     *
     * @throws RefusedStateException if it is not what this proxy, or one with the same key, made lately
     */
    State open(String sealed) {
        String[] parts = sealed.split(":", -1);
        if (!parts[0].equals(VERSION)) {
            throw new RefusedStateException("it has the version '" + parts[0] + "', and this proxy reads version " + VERSION
                    + " only: start the stream anew");
        }
        try {
            ByteBuffer head = ByteBuffer.wrap(Base64.getUrlDecoder().decode(parts.length == 3 ? parts[1] : ""));
            byte[] signature = Base64.getUrlDecoder().decode(parts.length == 3 ? parts[2] : "");
            byte[] id = new byte[KEY_ID];
            head.get(id);
            if (!Arrays.equals(id, keyId)) {
                throw new RefusedStateException("it was made by a proxy with another key: before this one was started, or by another"
                        + " one. Proxies that share their clients need the same derender.state-key-file");
            }
            if (!MessageDigest.isEqual(signature, Arrays.copyOf(sign(head.array()), SIGNATURE))) {
                throw new RefusedStateException("its signature is wrong: send it back as it came");
            }
            Duration old = Duration.ofSeconds(clock.instant().getEpochSecond() - head.getLong());
            if (old.compareTo(age) > 0 || old.compareTo(CLOCKS_DIFFER.negated()) < 0) {
                throw new RefusedStateException("it was made " + old.toSeconds() + " s ago, and may be " + age.toSeconds()
                        + " s old (derender.state-age): start the stream anew");
            }
            UUID stream = new UUID(head.getLong(), head.getLong());
            int step = head.getInt();
            int owner = head.getInt();
            int context = head.getInt();
            int logprobLength = head.getInt();
            byte flags = head.get();
            byte[] history = new byte[HASH];
            head.get(history);
            return new State(
                    stream, step, owner, context, logprobLength, (flags & ROLE_SAID) != 0, (flags & ENDED) != 0, history);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new RefusedStateException("it is not whole: send it back as it came");
        }
    }

    private byte[] sign(byte[] bytes) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each JDK has " + ALGORITHM, e);
        }
    }
}
