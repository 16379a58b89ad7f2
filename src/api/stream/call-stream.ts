import type { LibOpus } from '../../audio/libopus.ts';
import { unreachable } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import { FRAME_MS } from '../../base/frame.ts';
import type { Capability } from '../../base/platform.ts';
import type { AgentScope } from '../../base/scope.ts';
import { SharedImmediate } from '../../base/shared-immediate.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { CallActor, CallObserver } from '../../calls/call-actor.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import type { CallEvent } from '../../calls/call-event.ts';
import { isOver } from '../../calls/call-state.ts';
import { sendChat } from '../../calls/chat.ts';
import { say } from '../../calls/speak.ts';
import type { AgentAudio, AgentAudioObserver } from '../../threads/engine.ts';
import type { Socket, SocketHandler } from '../http/socket/socket.ts';
import type { StreamEvent, StreamRequest } from '../schema/stream.ts';
import { audioConfigWire, callEventWire, openingEvents, transcriptWire } from './call-event-wire.ts';
import { type AudioConfig, ClientAudio } from './client-audio.ts';
import type { ClientReadPosition } from './client-read-position.ts';
import { InflightWindow } from './inflight-window.ts';
import type { AgentStream } from './open-streams.ts';
import { PendingMarks } from './pending-marks.ts';
import { bytesFromBase64, parseStreamRequest, StreamFault } from './stream-request.ts';

/** WebSocket close codes (RFC 6455, section 7.4.1). */
const NORMAL_CLOSURE = 1000;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;
/** With more unsent bytes than this, frames stay in the ring buffer, where the oldest can still be dropped. */
const MAX_BUFFERED_BYTES = 16 * 1024;

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

/** Dependencies of a stream. */
export interface StreamDeps {
  readonly calls: CallDomain;
  readonly readPosition: ClientReadPosition;
  /** This thread's. */
  readonly opus: () => LibOpus;
  /** The agents that the stream acts for. */
  readonly scope: AgentScope;
  /** Registers an open stream. The returned function removes it. */
  readonly enlist: (stream: CallStream) => () => void;
}

/** One agent's WebSocket on a call: audio in both directions and the call's events. */
export class CallStream implements SocketHandler, AgentStream, CallObserver, AgentAudioObserver {
  readonly #call: CallActor;
  readonly #deps: StreamDeps;
  readonly #marks = new PendingMarks();
  readonly #window = new InflightWindow();
  #socket: Socket | null = null;
  #audio: AgentAudio | null = null;
  #stopObserving: () => void = () => {};
  #leaveList: () => void = () => {};
  readonly #client: ClientAudio;
  #receiving = false;
  /** Kept apart, because it is read for every frame of audio. */
  #canSpeak = false;
  /** Dropped audio that the client has not been told of; null: none. */
  #overflowMs: number | null = null;
  /** Missing capabilities that the client has been told of. */
  readonly #reported = new Set<AudioCapability>();
  #pendingClears = 0;
  #pendingPauses = 0;
  /** Ends the interim results that the client has asked for. */
  #stopInterims: (() => void) | null = null;

  constructor(call: CallActor, deps: StreamDeps) {
    this.#call = call;
    this.#deps = deps;
    this.#client = new ClientAudio({
      nativeRateHz: call.identity.sampleRateHz,
      opus: deps.opus,
      opusStreams: call.opusStreams,
      nowMs: () => this.#nowMs(),
      send: (message) => void this.#sendAudio(message),
    });
  }

  get accountId(): string {
    return this.#deps.scope.accountId;
  }

  /** AgentStream: closes the stream if its credential no longer acts for the call's agent. The call continues. */
  follow(agentIds: readonly string[]): void {
    if (agentIds.includes(this.#call.identity.agentId)) return;
    this.#socket?.close(POLICY_VIOLATION, 'the key may no longer access this call');
  }

  opened(socket: Socket): void {
    this.#socket = socket;
    this.#leaveList = this.#deps.enlist(this);
    try {
      this.#stopObserving = this.#call.observe(this);
    } catch {
      return socket.close(TRY_AGAIN_LATER, 'too many streams on this call');
    }
    this.#canSpeak = this.#offers('audio_out');
    for (const event of openingEvents(this.#call.snapshot())) this.#send(event);
  }

  binary(bytes: ArrayBuffer): void {
    try {
      this.#play(bytes);
    } catch (error) {
      this.#answerFault(error);
    }
  }

  text(text: string): void {
    try {
      this.#carryOut(parseStreamRequest(text));
    } catch (error) {
      this.#answerFault(error);
    }
  }

  pong(ping: number): void {
    this.#window.pong(ping, this.#nowMs());
  }

  drained(): void {}

  closed(): void {
    this.#socket = null;
    this.#leaveList();
    this.#stopObserving();
    this.#stopInterims?.();
    this.#audio?.close();
    this.#audio = null;
    this.#client.close();
  }

  /** CallObserver: sends a call event. The stream closes when the call ends. */
  event(event: CallEvent): void {
    this.#send(callEventWire(event, this.#stopInterims !== null));
    if (event.type === 'call_capabilities') this.#setCapabilities(event.capabilities);
    if (event.type !== 'call_state' || !isOver(this.#call.state)) return;
    const isStopping = this.#deps.calls.registry.isClosed;
    this.#socket?.close(isStopping ? GOING_AWAY : NORMAL_CLOSURE, `call ${event.state}`);
  }

  /** AgentAudioObserver: sends several frames together. */
  cork(give: () => void): void {
    if (this.#socket === null) give();
    else this.#socket.cork(give);
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
    if (name !== undefined) this.#send({ type: 'mark', name });
  }

  cleared(playedMs: number, droppedMs: number): void {
    this.#pendingClears -= 1;
    this.#send({ type: 'cleared', played_ms: playedMs, dropped_ms: droppedMs });
  }

  held(isHeld: boolean, playedMs: number): void {
    this.#pendingPauses -= 1;
    this.#send({ type: isHeld ? 'paused' : 'resumed', played_ms: playedMs });
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

  #carryOut(request: StreamRequest): void {
    switch (request.type) {
      case 'audio':
        return this.#play(bytesFromBase64(request.audio), request.sample_rate);
      case 'audio_config':
        return this.#configure(request);
      case 'clear':
        return this.#clear();
      case 'pause':
        return this.#hold(true);
      case 'resume':
        return this.#hold(false);
      case 'mark':
        return this.#mark(request.name);
      case 'say':
        say(...this.#addressed(), request.text);
        return;
      case 'send_chat':
        return this.#chat(request.text ?? '');
      case 'transcript_config':
        return this.#configureTranscript(request.interim);
      default:
        return unreachable(request);
    }
  }

  /** The first arguments of the domain's call functions. */
  #addressed(): [CallDomain, AgentScope, string] {
    const { calls, scope } = this.#deps;
    return [calls, scope, this.#call.identity.callId];
  }

  /** Only a failure is reported. */
  #chat(text: string): void {
    const draft = { text, senderName: '', files: null };
    sendChat(...this.#addressed(), draft).catch((error: unknown) => this.#answerFault(error));
  }

  /** Whether the client has read what was sent, so that more may follow. */
  #hasRoom(): boolean {
    const socket = this.#socket;
    return (
      socket !== null &&
      this.#window.isOpen(this.#deps.readPosition.readUpToMs()) &&
      socket.bufferedBytes() <= MAX_BUFFERED_BYTES
    );
  }

  /** Sends a message of audio. */
  #sendAudio(message: Uint8Array): boolean {
    const frames = this.#client.shape.messageMs / FRAME_MS;
    const ping = this.#window.nextPing(frames);
    if (!this.#socket?.sendBinary(message, ping)) return false;
    this.#window.sent(frames);
    if (ping !== undefined) this.#window.pingSent(ping, this.#nowMs());
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
    const mayReceive = request.receive !== true || this.#offers('audio_in');
    if (!mayReceive) this.#missing('audio_in');
    const receiving = mayReceive ? (request.receive ?? this.#receiving) : false;
    const { shape } = this.#client;
    const { sampleRateHz, format } = shape;
    const isOther = sampleRateHz !== former.sampleRateHz || format !== former.format;
    const listenChanged = receiving !== this.#receiving || (receiving && isOther);
    this.#receiving = receiving;
    if (listenChanged)
      this.#joined().listen(receiving ? sampleRateHz : null, format === 'opus' ? 'opus' : 'pcm');
    this.#send(audioConfigWire(shape, this.#call.identity.sampleRateHz));
  }

  #configureTranscript(interim: boolean | undefined): void {
    if (interim === false) {
      this.#stopInterims?.();
      this.#stopInterims = null;
    } else if (interim) this.#stopInterims ??= this.#call.interims.add((line) => this.#interim(line));
    this.#send({ type: 'transcript_config', interim: this.#stopInterims !== null });
  }

  /** A client that reads too slowly misses it: the next one, or the final line, makes up for it. */
  #interim(line: RecognizedLine): void {
    if ((this.#socket?.bufferedBytes() ?? 0) <= MAX_BUFFERED_BYTES) this.#send(transcriptWire(line, false));
    else this.#deps.calls.events.queueFull('interim_results');
  }

  #offers(capability: AudioCapability): boolean {
    return this.#call.snapshot().capabilities.includes(capability);
  }

  /** What is missing is reported once, until the call offers something else. */
  #missing(capability: AudioCapability): void {
    if (this.#reported.has(capability)) return;
    this.#reported.add(capability);
    this.#answerFault(new GatewayError('capability_missing', MISSING[capability]));
  }

  #setCapabilities(capabilities: readonly Capability[]): void {
    this.#canSpeak = capabilities.includes('audio_out');
    this.#reported.clear();
  }

  /** The agent's audio on the call. Joins when the client first uses audio. */
  #joined(): AgentAudio {
    this.#audio ??= this.#call.joinAgent(this);
    return this.#audio;
  }

  #nowMs(): number {
    return this.#deps.calls.clock.monotonicMs();
  }

  #tellOverflow(): void {
    const what = 'of sent audio were dropped because too much audio is queued';
    this.#lost('audio_overflow', this.#overflowMs ?? 0, what);
    this.#overflowMs = null;
  }

  #lost(code: string, lostMs: number, what: string): void {
    this.#send({ type: 'call_error', code, message: `${lostMs} ms ${what}`, lost_ms: lostMs });
  }

  /** Reports a client's mistake in a `call_error`; the call continues. Rethrows any other error. */
  #answerFault(error: unknown): void {
    if (!(error instanceof StreamFault || error instanceof GatewayError)) throw error;
    this.#send({ type: 'call_error', code: error.code, message: error.message });
    this.#socket?.faulted();
  }

  #send(event: StreamEvent): void {
    if (event.type === 'call_error') this.#deps.calls.events.streamError(event.code);
    this.#socket?.sendText(JSON.stringify(event));
  }
}
