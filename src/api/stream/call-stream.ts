import type { LibOpus } from '../../audio/libopus.ts';
import { unreachable } from '../../base/assert.ts';
import type { AgentScope } from '../../base/scope.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { CallActor, CallObserver } from '../../calls/call-actor.ts';
import type { CallDomain } from '../../calls/call-domain.ts';
import type { CallEvent, CallSnapshot } from '../../calls/call-event.ts';
import { isOver } from '../../calls/call-state.ts';
import { sendChat } from '../../calls/chat.ts';
import { say } from '../../calls/speak.ts';
import type { Socket, SocketHandler } from '../http/socket/socket.ts';
import type { AudioBegins, FromAudio } from './audio-halves.ts';
import { callEventWire, openingEvents, transcriptWire } from './call-event-wire.ts';
import { ClientEvents } from './client-events.ts';
import type { ClientReadPosition } from './client-read-position.ts';
import type { AgentStream } from './open-streams.ts';
import { RemoteAudio } from './remote-audio.ts';
import { type CallRequest, MAX_BUFFERED_BYTES, StreamAudio } from './stream-audio.ts';
import { parseStreamRequest } from './stream-request.ts';

/** WebSocket close codes (RFC 6455, section 7.4.1). */
const NORMAL_CLOSURE = 1000;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

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

/** What is there while the WebSocket is open. */
interface Open {
  readonly socket: Socket;
  readonly events: ClientEvents;
  readonly audio: StreamAudio | RemoteAudio;
}

/** One agent's WebSocket on a call: the call's events and requests here, the audio here or on the socket's thread. */
export class CallStream implements SocketHandler, AgentStream, CallObserver {
  readonly #call: CallActor;
  readonly #deps: StreamDeps;
  #open: Open | null = null;
  /** Kept apart, because it is read for every frame of audio. */
  #audioHere: StreamAudio | null = null;
  #stopObserving: () => void = () => {};
  #leaveList: () => void = () => {};
  /** What the half on another thread knows of the call, and has told the client. */
  #begunWith: CallSnapshot | null = null;
  /** Ends the interim results that the client has asked for. */
  #stopInterims: (() => void) | null = null;

  constructor(call: CallActor, deps: StreamDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** Null unless it is carried on this thread. */
  get audio(): StreamAudio | null {
    return this.#audioHere;
  }

  get accountId(): string {
    return this.#deps.scope.accountId;
  }

  beginHalf(): AudioBegins {
    const { callId, sampleRateHz } = this.#call.identity;
    this.#begunWith = this.#call.snapshot();
    const { capabilities } = this.#begunWith;
    return { callId, sampleRateHz, capabilities, opening: openingEvents(this.#begunWith) };
  }

  /** AgentStream: closes the stream if its credential no longer acts for the call's agent. The call continues. */
  follow(agentIds: readonly string[]): void {
    if (agentIds.includes(this.#call.identity.agentId)) return;
    this.#open?.socket.close(POLICY_VIOLATION, 'the key may no longer access this call');
  }

  opened(socket: Socket): void {
    this.#leaveList = this.#deps.enlist(this);
    const events = new ClientEvents(socket, (code) => this.#deps.calls.events.streamError(code));
    const { toHalf } = socket;
    this.#audioHere = toHalf === null ? this.#newAudio(socket, events) : null;
    const audio = this.#audioHere ?? this.#remoteAudio(toHalf);
    this.#open = { socket, events, audio };
    try {
      this.#stopObserving = this.#call.observe(this);
    } catch {
      return socket.close(TRY_AGAIN_LATER, 'too many streams on this call');
    }
    const snapshot = this.#call.snapshot();
    if (snapshot === this.#begunWith) return;
    audio.offer(snapshot.capabilities);
    for (const event of openingEvents(snapshot)) events.send(event);
  }

  binary(bytes: ArrayBuffer): void {
    this.#audioHere?.binary(bytes);
  }

  text(text: string): void {
    if (this.#open === null) return;
    try {
      const request = this.#open.audio.take(parseStreamRequest(text));
      if (request !== null) this.#carryOut(request, this.#open);
    } catch (error) {
      this.#open?.events.answerFault(error);
    }
  }

  fromHalf(message: unknown): void {
    if (this.#open?.audio instanceof RemoteAudio) this.#open.audio.heard(message as FromAudio);
  }

  pong(ping: number): void {
    this.#audioHere?.pong(ping);
  }

  drained(): void {}

  closed(): void {
    const open = this.#open;
    this.#open = null;
    this.#audioHere = null;
    this.#leaveList();
    this.#stopObserving();
    this.#stopInterims?.();
    open?.audio.close();
  }

  /** CallObserver: sends a call event. The stream closes when the call ends. */
  event(event: CallEvent): void {
    this.#open?.events.send(callEventWire(event, this.#stopInterims !== null));
    if (event.type === 'call_capabilities') this.#open?.audio.offer(event.capabilities);
    if (event.type !== 'call_state' || !isOver(this.#call.state)) return;
    const isStopping = this.#deps.calls.registry.isClosed;
    this.#open?.socket.close(isStopping ? GOING_AWAY : NORMAL_CLOSURE, `call ${event.state}`);
  }

  #newAudio(socket: Socket, events: ClientEvents): StreamAudio {
    const { readPosition, opus, calls } = this.#deps;
    return new StreamAudio({
      sampleRateHz: this.#call.identity.sampleRateHz,
      capabilities: this.#call.snapshot().capabilities,
      socket,
      events,
      readPosition,
      opus,
      opusStreams: this.#call.opusStreams,
      nowMs: () => calls.clock.monotonicMs(),
      join: (observer) => this.#call.joinAgent(observer),
    });
  }

  #remoteAudio(post: Socket['toHalf']): RemoteAudio {
    const { events } = this.#deps.calls;
    return new RemoteAudio({
      call: this.#call,
      post: (message) => post?.(message),
      failed: (code) => events.streamError(code),
      interimDropped: () => events.queueFull('interim_results'),
    });
  }

  #carryOut(request: CallRequest, { events }: Open): void {
    switch (request.type) {
      case 'say':
        say(...this.#addressed(), request.text);
        return;
      case 'send_chat':
        return this.#chat(request.text ?? '');
      case 'transcript_config':
        this.#configureTranscript(request.interim);
        return events.send({ type: 'transcript_config', interim: this.#stopInterims !== null });
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
    sendChat(...this.#addressed(), draft).catch((error: unknown) => this.#open?.events.answerFault(error));
  }

  #configureTranscript(interim: boolean | undefined): void {
    if (interim === false) {
      this.#stopInterims?.();
      this.#stopInterims = null;
    } else if (interim) this.#stopInterims ??= this.#call.interims.add((line) => this.#interim(line));
  }

  /** A client that reads too slowly misses it: the next one, or the final line, makes up for it. */
  #interim(line: RecognizedLine): void {
    if (this.#open === null) return;
    const { socket, events } = this.#open;
    const event = transcriptWire(line, false);
    if (socket.toHalf !== null) socket.toHalf({ type: 'interim', text: JSON.stringify(event) });
    else if (socket.bufferedBytes() <= MAX_BUFFERED_BYTES) events.send(event);
    else this.#deps.calls.events.queueFull('interim_results');
  }
}
