/** Discord's frame of silence. Five of them end an utterance. */
const SILENCE_BYTES = [0xf8, 0xff, 0xfe] as const;
/** Pause after which a user counts as silent. */
const SILENT_AFTER_MS = 200;
const LOOK_EVERY_MS = 100;

interface Stream {
  readonly userId: string;
  /** Arrival of the last packet that is not silence. */
  heardAtMs: number;
  isSpeaking: boolean;
}

interface StreamsDeps {
  readonly nowMs: () => number;
  readonly onStream: (ssrc: number, userId: string) => void;
  readonly onSpeaking: (userId: string, on: boolean) => void;
}

/** The RTP streams of a voice session: whose they are, and who speaks. */
export class Streams {
  readonly #deps: StreamsDeps;
  readonly #bySsrc = new Map<number, Stream>();
  #speaking = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: StreamsDeps) {
    this.#deps = deps;
  }

  userOf(ssrc: number): string | undefined {
    return this.#bySsrc.get(ssrc)?.userId;
  }

  /** Discord says whose stream it is. A user has one at a time. */
  name(ssrc: number, userId: string): void {
    if (this.userOf(ssrc) === userId) return;
    this.remove(userId);
    this.#delete(ssrc);
    this.#bySsrc.set(ssrc, { userId, heardAtMs: 0, isSpeaking: false });
    this.#deps.onStream(ssrc, userId);
  }

  /** The user has left. */
  remove(userId: string): void {
    for (const [ssrc, stream] of this.#bySsrc) if (stream.userId === userId) this.#delete(ssrc);
  }

  /** A packet of the stream has arrived. */
  heard(ssrc: number, payload: Uint8Array, arrivalMs: number): void {
    const stream = this.#bySsrc.get(ssrc);
    if (stream === undefined || isSilence(payload)) return;
    stream.heardAtMs = arrivalMs;
    if (stream.isSpeaking) return;
    this.#turn(stream, true);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  close(): void {
    this.#stopLooking();
    this.#bySsrc.clear();
  }

  #delete(ssrc: number): void {
    const stream = this.#bySsrc.get(ssrc);
    if (stream === undefined) return;
    this.#bySsrc.delete(ssrc);
    if (stream.isSpeaking) this.#turn(stream, false);
  }

  #turn(stream: Stream, on: boolean): void {
    stream.isSpeaking = on;
    this.#speaking += on ? 1 : -1;
    this.#deps.onSpeaking(stream.userId, on);
  }

  #look(): void {
    const nowMs = this.#deps.nowMs();
    for (const stream of this.#bySsrc.values())
      if (stream.isSpeaking && nowMs - stream.heardAtMs > SILENT_AFTER_MS) this.#turn(stream, false);
    if (this.#speaking === 0) this.#stopLooking();
  }

  #stopLooking(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

function isSilence(payload: Uint8Array): boolean {
  return (
    payload.length === SILENCE_BYTES.length && SILENCE_BYTES.every((byte, index) => payload[index] === byte)
  );
}
