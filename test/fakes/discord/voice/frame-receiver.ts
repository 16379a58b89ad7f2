import { FrameDecryptor, readProtocolFrame, SILENCE } from './frame-cipher.ts';
import { KeyRatchet } from './key-ratchet.ts';

/** What became of a received frame: its Opus payload, or why there is none. */
export type ReceivedFrame =
  | { readonly kind: 'opus' | 'silence'; readonly bytes: Buffer }
  | { readonly kind: 'undecryptable' | 'unencrypted' | 'repeated' };

interface Epoch {
  readonly decryptor: FrameDecryptor;
  endsAtMs: number;
}

/** Keys of former epochs, and frames without encryption, are good for so long after a change. */
const GRACE_MS = 10_000;

/** Decrypts what one sender sends to a person, over all changes of keys. */
export class FrameReceiver {
  #epochs: Epoch[] = [];
  #plainUntilMs = Number.POSITIVE_INFINITY;

  /** From now on the sender may use this key, and for a while the former ones. */
  addKey(baseSecret: Uint8Array): void {
    const now = performance.now();
    this.#epochs = this.#epochs.filter(({ endsAtMs }) => endsAtMs > now);
    for (const epoch of this.#epochs) epoch.endsAtMs = Math.min(epoch.endsAtMs, now + GRACE_MS);
    const decryptor = new FrameDecryptor(new KeyRatchet(baseSecret));
    this.#epochs.unshift({ decryptor, endsAtMs: Number.POSITIVE_INFINITY });
    this.#plainUntilMs = Math.min(this.#plainUntilMs, now + GRACE_MS);
  }

  /** The sender may send without encryption. */
  allowPlain(): void {
    this.#plainUntilMs = Number.POSITIVE_INFINITY;
  }

  receive(frame: Buffer): ReceivedFrame {
    if (frame.equals(SILENCE)) return { kind: 'silence', bytes: frame };
    const protocolFrame = readProtocolFrame(frame);
    if (!protocolFrame) {
      return performance.now() < this.#plainUntilMs
        ? { kind: 'opus', bytes: frame }
        : { kind: 'unencrypted' };
    }
    const now = performance.now();
    for (const { decryptor, endsAtMs } of this.#epochs) {
      const bytes = endsAtMs < now ? null : decryptor.decrypt(protocolFrame);
      if (bytes) return bytes === 'repeated' ? { kind: bytes } : { kind: 'opus', bytes };
    }
    return { kind: 'undecryptable' };
  }
}
