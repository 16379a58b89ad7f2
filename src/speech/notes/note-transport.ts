import type { LibOpus } from '../../audio/libopus.ts';
import { WasmOpus } from '../../audio/opus-wasm.ts';
import { assert } from '../../base/assert.ts';
import { FRAME_MS } from '../../base/frame.ts';
import { pause } from '../../base/time.ts';
import type { OpenTransport, Transport, TransportHost } from '../../media/transport.ts';
import { Listening } from '../hearing/listening.ts';
import { AskedPlaces } from '../transport/asked-places.ts';
import { clientsOf, type SpeechParts } from '../transport/speech-parts.ts';
import { NOTE_RATE_HZ, noteFrames } from './note-audio.ts';
import { MOST_NOTE_MS, type NoteCommands, type NoteOpen, type NoteSignal } from './note-protocol.ts';

/** Vendors are made for speech as it is spoken; they take it so much faster, except those that are named. */
const SPEED = 3;
const SPEEDS: Readonly<Record<string, number>> = { assemblyai: 1, cartesia: 1 };
/** Audio that is handed over at a time. */
const BURST_MS = 100;
/** What ends the last sentence for whoever listens for pauses. */
const SILENCE_MS = 1_200;
/** Nothing follows when nothing has come for so long, or for `FIRST_MS` while there is nothing yet. */
const QUIET_MS = 1_000;
const FIRST_MS = 8_000;
const LOOK_MS = 100;

/** Returns the function that reads a voice note on this bridge thread. */
export function notesWith(parts: SpeechParts): OpenTransport<NoteOpen, NoteCommands, NoteSignal> {
  let opus: LibOpus | null = null;
  return async (open, _memory, host) => {
    opus ??= new WasmOpus();
    return new NoteTransport({ ...open, opus }, parts, host);
  };
}

/** One voice note, which a recognizer of calls listens to. */
class NoteTransport implements Transport<NoteCommands> {
  readonly commands = {
    givePlace: async (placeId: number, isFree: boolean) => this.#places.answer(placeId, isFree),
  };
  readonly #open: NoteOpen & { readonly opus: LibOpus };
  readonly #parts: SpeechParts;
  readonly #places: AskedPlaces;
  readonly #closing = new AbortController();
  readonly #lines: string[] = [];
  #lastMs: number | null = null;
  #fault: string | null = null;

  constructor(
    open: NoteOpen & { readonly opus: LibOpus },
    parts: SpeechParts,
    host: TransportHost<NoteSignal>,
  ) {
    this.#open = open;
    this.#parts = parts;
    this.#places = new AskedPlaces((signal) => void host.emit(signal));
    this.#read().then(
      (signal) => void host.emit(signal),
      (error: unknown) => void host.emit({ type: 'failed', reason: `${error}` }),
    );
  }

  close(): void {
    this.#closing.abort();
  }

  async #read(): Promise<NoteSignal> {
    const { accountId, audio, stt, opus } = this.#open;
    const { clock, readingTime, providers } = this.#parts;
    const { recognizer } = clientsOf(providers(this.#places, readingTime.of(accountId)), stt.provider);
    assert(recognizer !== undefined, `${stt.provider} has no speech-to-text`);
    const frames = noteFrames(audio, opus, MOST_NOTE_MS);
    const listening = this.#listening((observer) => recognizer(stt.preset, NOTE_RATE_HZ, observer));
    try {
      const heardMs = await this.#hear(listening, frames, SPEEDS[stt.provider] ?? SPEED);
      listening.paused();
      await this.#settle(clock.monotonicMs());
      await listening.close();
      if (this.#lines.length === 0 && this.#fault !== null) return { type: 'failed', reason: this.#fault };
      return { type: 'read', text: this.#lines.join(' '), heardMs };
    } finally {
      await listening.close();
    }
  }

  #listening(connect: ConstructorParameters<typeof Listening>[1]['connect']): Listening {
    const { clock } = this.#parts;
    return new Listening(
      '',
      { rateHz: NOTE_RATE_HZ, fromMs: 0, connect, clock },
      {
        heard: (_listening, { text }) => {
          this.#lines.push(text);
          this.#lastMs = clock.monotonicMs();
        },
        interim: () => {},
        turn: () => {},
        disconnected: () => {},
        reconnected: () => {},
        failed: ({ words }) => {
          this.#fault = words;
        },
      },
    );
  }

  /** Returns how much was heard, in milliseconds. */
  async #hear(listening: Listening, frames: Iterable<Int16Array>, speed: number): Promise<number> {
    let heardMs = 0;
    const hear = async (frame: Int16Array): Promise<void> => {
      listening.hear(frame);
      heardMs += FRAME_MS;
      if (heardMs % BURST_MS === 0) await this.#wait(BURST_MS / speed);
    };
    for (const frame of frames) {
      if (!this.#goesOn) break;
      await hear(frame);
    }
    const spokenMs = heardMs;
    const silence = new Int16Array((NOTE_RATE_HZ * FRAME_MS) / 1_000);
    while (this.#goesOn && heardMs < spokenMs + SILENCE_MS) await hear(silence);
    return spokenMs;
  }

  /** Waits until the last words are there. */
  async #settle(sinceMs: number): Promise<void> {
    const { clock } = this.#parts;
    const isQuiet = () =>
      clock.monotonicMs() - Math.max(sinceMs, this.#lastMs ?? 0) >=
      (this.#lastMs === null ? FIRST_MS : QUIET_MS);
    while (this.#goesOn && !isQuiet()) await this.#wait(LOOK_MS);
  }

  get #goesOn(): boolean {
    return this.#fault === null && !this.#closing.signal.aborted;
  }

  async #wait(durationMs: number): Promise<void> {
    await pause(this.#parts.clock, durationMs, this.#closing.signal);
  }
}
