import { WebSocket } from 'ws';
import { decodeMuLaw, encodeMuLaw } from './naive-audio.ts';

const FRAME_SAMPLES = 160;
/** Deepgram takes 40 ms well. */
const CHUNK_FRAMES = 2;
const HEADERS = { authorization: 'Token key-of-the-bench' };
const FORMAT = 'encoding=mulaw&sample_rate=8000';
/** The next sentences are asked for when less than 5 s are left. */
const LOOKAHEAD_SAMPLES = 5 * 8_000;
/** Root mean square of a voice. */
const LOUD = 160;
const LOUD_FRAMES = 5;
const QUIET_FRAMES = 25;

/** A call's voice and ears at Deepgram. */
export class NaiveSpeech {
  readonly #speaker: WebSocket;
  readonly #listener: WebSocket;
  #texts: string[] = [];
  #isAsked = false;
  #audio = Buffer.alloc(0);
  #heard: Int16Array[] = [];
  readonly #transcript: string[] = [];
  #isSpeaking = false;
  #changing = 0;

  constructor(url: string) {
    const socketUrl = url.replace('http', 'ws');
    this.#speaker = new WebSocket(`${socketUrl}/v1/speak?model=aura-2-thalia-en&${FORMAT}`, {
      headers: HEADERS,
    });
    this.#speaker.on('open', () => this.#askNext());
    this.#speaker.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#audio = Buffer.concat([this.#audio, data]);
      else if (JSON.parse(data.toString()).type === 'Flushed') this.#isAsked = false;
    });
    this.#listener = new WebSocket(`${socketUrl}/v1/listen?model=nova-3&interim_results=true&${FORMAT}`, {
      headers: HEADERS,
    });
    this.#listener.on('message', (data: Buffer) => this.#result(JSON.parse(data.toString())));
    for (const socket of [this.#speaker, this.#listener]) socket.on('error', () => {});
  }

  say(text: string): void {
    this.#texts.push(...(text.match(/[^.]{1,300}\.?\s*/g) ?? []));
    this.#askNext();
  }

  /** Takes the next 20 ms of the telephone. */
  hear(pcm: Int16Array): void {
    this.#detect(pcm);
    this.#heard.push(pcm);
    if (this.#heard.length < CHUNK_FRAMES) return;
    const chunk = Buffer.concat(this.#heard.map((frame) => Buffer.from(Uint8Array.from(frame, encodeMuLaw))));
    this.#heard = [];
    if (this.#listener.readyState === WebSocket.OPEN) this.#listener.send(chunk);
  }

  /** Returns the next 20 ms of what is spoken. Null: silence. */
  frame(): Int16Array | null {
    this.#askNext();
    if (this.#audio.length < FRAME_SAMPLES) return null;
    const pcm = Int16Array.from(this.#audio.subarray(0, FRAME_SAMPLES), decodeMuLaw);
    this.#audio = this.#audio.subarray(FRAME_SAMPLES);
    return pcm;
  }

  #askNext(): void {
    if (this.#isAsked || this.#audio.length >= LOOKAHEAD_SAMPLES) return;
    if (this.#speaker.readyState !== WebSocket.OPEN) return;
    const text = this.#texts.shift();
    if (text === undefined) return;
    this.#isAsked = true;
    this.#speaker.send(JSON.stringify({ type: 'Speak', text }));
    this.#speaker.send(JSON.stringify({ type: 'Flush' }));
  }

  // biome-ignore lint/suspicious/noExplicitAny: one would not check it
  #result({ is_final, channel }: any): void {
    if (is_final) this.#transcript.push(channel.alternatives[0].transcript);
  }

  /** Who speaks, by the level alone. */
  #detect(pcm: Int16Array): void {
    const power = pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length;
    const isOther = power > LOUD * LOUD !== this.#isSpeaking;
    this.#changing = isOther ? this.#changing + 1 : 0;
    if (this.#changing < (this.#isSpeaking ? QUIET_FRAMES : LOUD_FRAMES)) return;
    this.#isSpeaking = !this.#isSpeaking;
    this.#changing = 0;
  }
}
