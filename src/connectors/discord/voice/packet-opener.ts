import {
  type DAVESession,
  type Networking,
  type NetworkingReadyState,
  type NetworkingResumingState,
  type VoiceConnection,
  VoiceConnectionStatus,
  VoiceReceiver,
} from '@discordjs/voice';

/** Ends each frame of the end-to-end encryption. https://daveprotocol.com/#payload-format */
const MARKER = 0xfa;
/** Frames in a row that cannot be decrypted, after which the library throws. */
const TOLERATED_FAILURES = 36;
const RECOVER_EVERY_MS = 10_000;

/** A session with keys: audio flows, or does so again once the WebSocket is back. */
export type MediaState = NetworkingReadyState | NetworkingResumingState;

/** What the library does not declare. */
interface ReceiverInternals {
  parsePacket(datagram: Buffer, mode: string, nonce: Buffer, key: Uint8Array, userId: string): Buffer | null;
}
interface DaveInternals {
  readonly consecutiveFailures: number;
}

/** Decrypts datagrams of the voice server as the library does, whose own streams leave out sequence and time. */
export class PacketOpener {
  readonly #receiver: ReceiverInternals;
  #recoveredAtMs = Number.NEGATIVE_INFINITY;

  constructor(networking: Networking) {
    // The receiver only looks for the encryption of the connection.
    const connection = { state: { status: VoiceConnectionStatus.Ready, networking } };
    const receiver: unknown = new VoiceReceiver(connection as unknown as VoiceConnection);
    this.#receiver = receiver as ReceiverInternals;
  }

  /** Returns the Opus packet in an RTP datagram of the user; null when it cannot be decrypted. */
  open(datagram: Buffer, userId: string, { connectionData, dave }: MediaState): Buffer | null {
    const { encryptionMode, nonceBuffer, secretKey } = connectionData;
    try {
      const payload = this.#receiver.parsePacket(datagram, encryptionMode, nonceBuffer, secretKey, userId);
      // Without keys of its own the library passes on what is still encrypted.
      return payload === null || (!isReady(dave) && hasMarker(payload)) ? null : payload;
    } catch {
      if (dave !== undefined) this.#recover(dave);
      return null;
    }
  }

  /** After the first transition of a group the library throws for each frame, and never asks for new keys. */
  #recover(dave: DAVESession): void {
    const { consecutiveFailures } = dave as unknown as DaveInternals;
    const nowMs = performance.now();
    const isDue = nowMs - this.#recoveredAtMs >= RECOVER_EVERY_MS;
    if (consecutiveFailures <= TOLERATED_FAILURES || !isDue) return;
    this.#recoveredAtMs = nowMs;
    dave.recoverFromInvalidTransition(dave.lastTransitionId ?? 0);
  }
}

/** Whether the agent may speak. Before it has keys, the library would send what it says without them. */
export function isReady(dave: DAVESession | undefined): boolean {
  return dave === undefined || dave.protocolVersion === 0 || dave.session?.ready === true;
}

function hasMarker(payload: Buffer): boolean {
  return payload.length > 2 && payload.at(-1) === MARKER && payload.at(-2) === MARKER;
}
