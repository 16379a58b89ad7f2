import type { LibOpus } from '../../audio/libopus.ts';
import { unreachable } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import { FRAME_MS } from '../../base/frame.ts';
import type { Capability } from '../../base/platform.ts';
import { SharedImmediate } from '../../base/shared-immediate.ts';
import type { AgentAudio, AgentAudioObserver } from '../../threads/agent-link.ts';
import type { Socket } from '../http/socket/socket.ts';
import type { StreamRequest } from '../schema/stream.ts';
import { audioConfigWire } from './audio-config-wire.ts';
import { type AudioConfig, ClientAudio } from './client-audio.ts';
import type { ClientEvents } from './client-events.ts';
import type { ClientReadPosition } from './client-read-position.ts';
import { InflightWindow } from './inflight-window.ts';
import { PendingMarks } from './pending-marks.ts';
import { bytesFromBase64, StreamFault } from './stream-request.ts';

/** With more unsent bytes than this, frames stay in the ring buffer, where the oldest can still be dropped. */
export const MAX_BUFFERED_BYTES = 16 * 1024;

/** Limits on what is unanswered. Clears and pauses are answered once the call has its place in the engine. */
const MAX_CLEARS = 1024;
const MAX_PAUSES = 1024;

/** After everything that has arrived. */
const LATER = new SharedImmediate();

type AudioCapability = Extract<Capability, 'audio_in' | 'audio_out'>;

const MISSING: Readonly<Record<AudioCapability, string>> = {
  audio_in: "There is no audio to receive on this call (capability 'audio_in')",
  audio_out: "This call takes no audio (capability 'audio_out'); yours is dropped",
};

/** Requests that only the thread of the call can carry out. */
export type CallRequest = Extract<
  StreamRequest,
  { readonly type: 'say' | 'send_chat' | 'transcript_config' }
>;

export interface StreamAudioDeps {
  readonly socket: Socket;
  readonly events: ClientEvents;
  /** Of the call. */
  readonly sampleRateHz: number;
  readonly capabilities: readonly Capability[];
  readonly readPosition: ClientReadPosition;
  /** This thread's. */
  readonly opus: () => LibOpus;
  /** Those of the call that use Opus. */
  readonly opusStreams: Set<object>;
  readonly nowMs: () => number;
  /** Takes the agent into the call. Called once, when the client first uses audio. */
  readonly join: (observer: AgentAudioObserver) => AgentAudio;
}

/** The audio of a call WebSocket, in both directions, on the thread of the socket. */
export class StreamAudio implements AgentAudioObserver {
  readonly #deps: StreamAudioDeps;
  readonly #marks = new PendingMarks();
  readonly #window = new InflightWindow();
  readonly #client: ClientAudio;
  #audio: AgentAudio | null = null;
  #receiving = false;
  #canHear = false;
  /** Kept apart, because it is read for every frame of audio. */
  #canSpeak = false;
  /** Dropped audio that the client has not been told of; null: none. */
  #overflowMs: number | null = null;
  /** Missing capabilities that the client has been told of. */
  readonly #reported = new Set<AudioCapability>();
  #pendingClears = 0;
  #pendingPauses = 0;
  #isClosed = false;

  constructor(deps: StreamAudioDeps) {
    this.#deps = deps;
    this.#client = new ClientAudio({
      nativeRateHz: deps.sampleRateHz,
      opus: deps.opus,
      opusStreams: deps.opusStreams,
      nowMs: deps.nowMs,
      send: (message) => void this.#sendAudio(message),
    });
    this.offer(deps.capabilities);
  }

  /** What the call offers from now on. */
  offer(capabilities: readonly Capability[]): void {
    this.#canHear = capabilities.includes('audio_in');
    this.#canSpeak = capabilities.includes('audio_out');
    this.#reported.clear();
  }

  binary(bytes: ArrayBuffer): void {
    try {
      this.#play(bytes);
    } catch (error) {
      this.#deps.events.answerFault(error);
    }
  }

  pong(ping: number): void {
    this.#window.pong(ping, this.#deps.nowMs());
  }

  close(): void {
    this.#isClosed = true;
    this.#audio?.close();
    this.#audio = null;
    this.#client.close();
  }

  /** Carries out a request about audio. Returns any other. Throws what is answered as a fault. */
  take(request: StreamRequest): CallRequest | null {
    switch (request.type) {
      case 'audio':
        this.#play(bytesFromBase64(request.audio), request.sample_rate);
        return null;
      case 'audio_config':
        this.#configure(request);
        return null;
      case 'clear':
        this.#clear();
        return null;
      case 'pause':
        this.#hold(true);
        return null;
      case 'resume':
        this.#hold(false);
        return null;
      case 'mark':
        this.#mark(request.name);
        return null;
      case 'say':
      case 'send_chat':
      case 'transcript_config':
        return request;
      default:
        return unreachable(request);
    }
  }

  /** AgentAudioObserver: sends several frames together. */
  cork(give: () => void): void {
    this.#deps.socket.cork(give);
  }

  /** AgentAudioObserver: sends one 20 ms frame, or a packet. Returns false to leave it in the ring buffer. */
  frame(audio: Uint8Array): boolean {
    const { packer } = this.#client;
    if ((packer === null || packer.isDue) && !this.#hasRoom()) return false;
    if (packer === null) return this.#sendAudio(audio);
    packer.add(audio);
    return true;
  }

  mark(markId: number): void {
    const name = this.#marks.take(markId);
    if (name !== undefined) this.#deps.events.send({ type: 'mark', name });
  }

  cleared(playedMs: number, droppedMs: number): void {
    this.#pendingClears -= 1;
    this.#deps.events.send({ type: 'cleared', played_ms: playedMs, dropped_ms: droppedMs });
  }

  held(isHeld: boolean, playedMs: number): void {
    this.#pendingPauses -= 1;
    this.#deps.events.send({ type: isHeld ? 'paused' : 'resumed', played_ms: playedMs });
  }

  /** Call audio was dropped, because the client reads too slowly or this thread is late. */
  overrun(lostMs: number): void {
    this.#lost('audio_overrun', lostMs, 'of call audio were dropped because they were not read in time');
  }

  /**
   * The newest audio from the client was dropped, because too much is waiting to be played. Reported once for all that
   * has arrived: a client that sends a file may lose thousands of frames at a time.
   */
  overflow(lostMs: number): void {
    if (this.#overflowMs === null) LATER.run(() => this.#tellOverflow());
    this.#overflowMs = (this.#overflowMs ?? 0) + lostMs;
  }

  /** Whether the client has read what was sent, so that more may follow. */
  #hasRoom(): boolean {
    const { socket, readPosition } = this.#deps;
    return this.#window.isOpen(readPosition.readUpToMs()) && socket.bufferedBytes() <= MAX_BUFFERED_BYTES;
  }

  /** Sends a message of audio. */
  #sendAudio(message: Uint8Array): boolean {
    const frames = this.#client.shape.messageMs / FRAME_MS;
    const ping = this.#window.nextPing(frames);
    if (!this.#deps.socket.sendBinary(message, ping)) return false;
    this.#window.sent(frames);
    if (ping !== undefined) this.#window.pingSent(ping, this.#deps.nowMs());
    return true;
  }

  #play(bytes: ArrayBuffer, sampleRateHz?: number): void {
    const { shape, hasSamples } = this.#client;
    const samples = this.#client.read(bytes);
    if (!this.#canSpeak) return this.#missing('audio_out');
    if (samples === null) return this.overflow(FRAME_MS);
    const rateHz = hasSamples && sampleRateHz !== undefined ? sampleRateHz : shape.sampleRateHz;
    if (samples.length > 0) this.#joined().write(samples, rateHz);
  }

  #mark(name: string): void {
    const markId = this.#marks.add(name);
    if (markId === null) throw new StreamFault('too_many_marks', 'too many marks are pending');
    this.#joined().mark(markId);
  }

  #clear(): void {
    if (this.#pendingClears >= MAX_CLEARS)
      throw new StreamFault('too_many_clears', 'too many clears are pending');
    this.#pendingClears += 1;
    this.#marks.clear();
    this.#joined().clear();
  }

  #hold(isHeld: boolean): void {
    if (this.#pendingPauses >= MAX_PAUSES)
      throw new StreamFault('too_many_pauses', 'too many pauses are pending');
    this.#pendingPauses += 1;
    this.#joined().hold(isHeld);
  }

  #configure(request: AudioConfig): void {
    const former = this.#client.shape;
    this.#client.declare(request);
    const mayReceive = request.receive !== true || this.#canHear;
    if (!mayReceive) this.#missing('audio_in');
    const receiving = mayReceive ? (request.receive ?? this.#receiving) : false;
    const { shape } = this.#client;
    const { sampleRateHz, format } = shape;
    const isOther = sampleRateHz !== former.sampleRateHz || format !== former.format;
    const listenChanged = receiving !== this.#receiving || (receiving && isOther);
    this.#receiving = receiving;
    if (listenChanged)
      this.#joined().listen(receiving ? sampleRateHz : null, format === 'opus' ? 'opus' : 'pcm');
    this.#deps.events.send(audioConfigWire(shape, this.#deps.sampleRateHz));
  }

  /** What is missing is reported once, until the call offers something else. */
  #missing(capability: AudioCapability): void {
    if (this.#reported.has(capability)) return;
    this.#reported.add(capability);
    this.#deps.events.answerFault(new GatewayError('capability_missing', MISSING[capability]));
  }

  #joined(): AgentAudio {
    this.#audio ??= this.#deps.join(this);
    return this.#audio;
  }

  #tellOverflow(): void {
    const lostMs = this.#overflowMs ?? 0;
    this.#overflowMs = null;
    if (!this.#isClosed)
      this.#lost('audio_overflow', lostMs, 'of sent audio were dropped because too much audio is queued');
  }

  #lost(code: string, lostMs: number, what: string): void {
    this.#deps.events.send({ type: 'call_error', code, message: `${lostMs} ms ${what}`, lost_ms: lostMs });
  }
}
