import { z } from 'zod';
import { Tone } from '../../../support/tone.ts';
import { DaveClient } from './dave-client.ts';
import { Listener } from './listener.ts';
import { OP, type VoiceClient } from './opcodes.ts';
import type { MediaFrame } from './rtp-datagram.ts';
import { type AudioSource, FRAME_SAMPLES, Speaker } from './speaker.ts';
import type { VoiceCall } from './voice-call.ts';

const SPEAKING = z.object({ user_id: z.string(), speaking: z.number() });

export interface PersonOptions {
  readonly userId: string;
  readonly name: string;
  readonly ssrc: number;
  /** False: an old client without DAVE, for whom everybody has to do without. */
  readonly hasDave: boolean;
}

/** A person in a voice channel, with an MLS state, an Opus encoder and decoders of their own. */
export class Person implements VoiceClient {
  readonly userId: string;
  readonly name: string;
  readonly ssrc: number;
  readonly isBot = false;
  readonly hasDave: boolean;
  /** Null without DAVE. */
  readonly dave: DaveClient | null;
  readonly #call: VoiceCall;
  readonly #listeners = new Map<string, Listener>();
  readonly #speaker: Speaker;
  #sequence: number;
  #timestamp: number;

  constructor(call: VoiceCall, { userId, name, ssrc, hasDave }: PersonOptions) {
    this.userId = userId;
    this.name = name;
    this.ssrc = ssrc;
    this.hasDave = hasDave;
    this.#call = call;
    this.dave = hasDave ? new DaveClient(userId, call.channelId, call.dave) : null;
    this.#speaker = new Speaker((opus) => this.#send(opus));
    this.#sequence = ssrc & 0xffff;
    this.#timestamp = (ssrc * 7_919) >>> 0;
  }

  /** Speaks `samples`, mono at 48 kHz; resolves at the end. */
  say(samples: Int16Array): Promise<void> {
    let at = 0;
    return this.speak((frame) => {
      if (at >= samples.length) return false;
      frame.set(samples.subarray(at, at + FRAME_SAMPLES));
      at += FRAME_SAMPLES;
      return true;
    });
  }

  /** Sings a tone until `stop`. `amplitude` is a fraction of full scale. */
  sing(toneHz: number, amplitude = 0.3): void {
    const tone = new Tone(toneHz, 48_000, amplitude);
    void this.speak((frame) => {
      tone.fill(frame);
      return true;
    });
  }

  async speak(source: AudioSource): Promise<void> {
    this.#call.speaking(this, 1);
    await this.#speaker.speak(source);
    this.#call.speaking(this, 0);
  }

  get isSpeaking(): boolean {
    return this.#speaker.isSpeaking;
  }

  stop(): void {
    this.#speaker.stop();
  }

  /** What this person hears of another participant. */
  heard(userId: string): Listener {
    const known = this.#listeners.get(userId);
    if (known) return known;
    const listener = new Listener((frame) => this.#decrypt(userId, frame));
    this.#listeners.set(userId, listener);
    return listener;
  }

  hear(frame: MediaFrame, fromUserId: string): void {
    this.heard(fromUserId).hear(frame);
  }

  tell(op: number, data: object): void {
    this.dave?.told(op, data);
    if (op !== OP.speaking) return;
    const { user_id: userId, speaking } = SPEAKING.parse(data);
    this.heard(userId).speaking.push({ atMs: performance.now(), isSpeaking: speaking !== 0 });
  }

  tellBinary(op: number, payload: Uint8Array): void {
    this.dave?.toldBinary(op, Buffer.from(payload));
  }

  #decrypt(userId: string, frame: Buffer) {
    return this.dave?.decrypt(userId, frame) ?? ({ kind: 'opus', bytes: frame } as const);
  }

  #send(opus: Buffer): void {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + FRAME_SAMPLES) >>> 0;
    const bytes = this.dave ? this.dave.encrypt(opus) : opus;
    if (!bytes) return;
    this.#call.forward(this.userId, {
      ssrc: this.ssrc,
      sequence: this.#sequence,
      timestamp: this.#timestamp,
      bytes,
    });
  }
}
