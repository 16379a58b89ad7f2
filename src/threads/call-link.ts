import { assert, unreachable } from '../base/assert.ts';
import { GatewayError } from '../base/errors.ts';
import type { Termination } from '../base/termination.ts';
import type { MediaControl, OpenMedia } from '../media/media-control.ts';
import { MEDIA_MEMORY_BYTES, type MediaEvent } from '../media/media-leg.ts';
import type { AnyCommands, MediaProtocol } from '../media/media-protocol.ts';
import type { FrameRing } from '../rings/frame-ring.ts';
import type { SpeechRings } from '../rings/speech-rings.ts';
import { afterMessages } from './after-messages.ts';
import { type AgentAudio, type AgentAudioObserver, AgentLink } from './agent-link.ts';
import { type AgentEnd, type AgentRings, AgentSeat, type AgentSeatHost } from './agent-seat.ts';
import { MoveLimit } from './move-limit.ts';
import type { QueueBudget } from './playout-budget.ts';
import {
  type AudioFlow,
  type AudioReport,
  type CallCommand,
  type CallEvent,
  type CallOutcome,
  type CallPlacement,
  fromWireError,
  type HeardFact,
  type MeasuredTurn,
  PROTOCOL_VERSION,
  type Reply,
  type TapPlacement,
  type WireError,
} from './protocol.ts';
import { Requests } from './requests.ts';
import type { HeldCall, WorkerLink } from './worker-link.ts';

const OPEN_DEADLINE_MS = 10_000;
const CONFIGURE_DEADLINE_MS = 5_000;
const COMMAND_DEADLINE_MS = 30_000;
const REPORT_DEADLINE_MS = 5_000;
const CLOSE_DEADLINE_MS = 3_000;

type RequestCommand = Extract<CallCommand, { readonly requestId: number }>;

/** Receives the events of a call on the engine. */
export interface EngineCallObserver {
  /** The call's media has ended for good without `close`: because of a bug, or because no worker could hold it. */
  ended(termination: Termination): void;
  /** The far end has spoken, and has been answered. */
  turned(turn: MeasuredTurn): void;
  /** After `listen`. */
  heard(fact: HeardFact): void;
}

/** The media half of a call, on whichever worker it runs. */
export interface EngineCall {
  readonly media: MediaControl;
  /** Lets agents hear what the far end sends before it answers. Nothing that they send is played. Safe to call twice. */
  startListening(): void;
  /** Lets agents speak and hear. Audio they sent earlier is queued and played first. Safe to call twice. */
  startAudio(): void;
  /**
   * Copies one voice of the platform, counted from 0, into a ring of frames: without the agents and the other voices.
   * Replaces the voice's earlier tap; null ends it. No frames are written for a voice that the
   * leg does not have.
   */
  tap(voice: number, ring: FrameRing | null): void;
  /** Makes hosted speech a party of the call's room, heard from `startAudio` on. Call it once. */
  hostSpeech(speech: SpeechRings): void;
  /** Has the observer told what is heard of the far end. */
  listen(): void;
  /** Adds an agent to the call; `memory` limits the audio it queues. */
  joinAgent(observer: AgentAudioObserver, memory: QueueBudget): AgentAudio;
  /** Adds an agent whose end of the rings is on another thread. */
  seatAgent(end: AgentEnd, rings: AgentRings): AgentSeat;
  /** Reads how the audio is doing. Rejects when the call has no open media, or loses its worker meanwhile. */
  report(): Promise<AudioReport>;
  /** Ends the call's media. Resolves when its sockets are closed, or after a deadline. Safe to call twice. */
  close(): Promise<void>;
}

/** The engine's services for a call. */
export interface CallLinkHost {
  nextCallNumber(): number;
  /**
   * Runs a placement. Resolves when the task ends, rejects when its worker is lost. `again`: the call is being moved.
   */
  run(placement: CallPlacement, again: boolean): Promise<CallOutcome>;
  moved(callId: string, reason: string): void;
  failed(callId: string, error: WireError): void;
  left(call: CallLink): void;
}

/** What the media was opened with: with it, the call can be placed on any worker, any number of times. */
interface OpenedWith {
  readonly kind: string;
  readonly open: unknown;
  readonly memory: SharedArrayBuffer;
  readonly moves: MoveLimit;
  readonly onEvent: (event: MediaEvent<unknown>) => void;
  /** The last configuration; null before the first. */
  config: unknown;
}

type State =
  | { readonly name: 'unopened' }
  /** A task is starting. Commands that its placement does not include are queued in `held`. */
  | {
      readonly name: 'placing';
      readonly media: OpenedWith;
      readonly callNumber: number;
      readonly held: CallCommand[];
    }
  | {
      readonly name: 'placed';
      readonly media: OpenedWith;
      readonly callNumber: number;
      readonly worker: WorkerLink;
      readonly slot: number;
    }
  | { readonly name: 'ended' };

/**
 * The main thread's end of a call. Places the call, moves it when its worker is lost, and tracks the worker it is on.
 */
export class CallLink implements EngineCall, MediaControl, AgentSeatHost, HeldCall {
  readonly callId: string;
  readonly #host: CallLinkHost;
  readonly #observer: EngineCallObserver;
  readonly #requests = new Requests<RequestCommand>();
  readonly #agents: AgentSeat[] = [];
  readonly #closed = Promise.withResolvers<void>();
  readonly #opened: OpenMedia<unknown, AnyCommands> = {
    configure: (config) => this.#configure(config),
    command: (name, ...args) => this.#command(name, args),
  };
  #state: State = { name: 'unopened' };
  #opening: PromiseWithResolvers<void> | null = null;
  #audio: AudioFlow = 'none';
  #taps: readonly TapPlacement[] = [];
  #speech: SpeechRings | null = null;
  #isListenedTo = false;
  #lastLegId = 0;
  #closing = false;
  #suspected = false;

  constructor(callId: string, host: CallLinkHost, observer: EngineCallObserver) {
    this.callId = callId;
    this.#host = host;
    this.#observer = observer;
  }

  get media(): MediaControl {
    return this;
  }

  open<Open, Config, Commands, Signal>(
    { kind }: MediaProtocol<Open, Config, Commands, Signal>,
    open: Open,
    onEvent: (event: MediaEvent<Signal>) => void,
  ): Promise<OpenMedia<Config, Commands>> {
    if (this.#state.name === 'ended') return Promise.reject(new GatewayError('call_not_active'));
    assert(this.#state.name === 'unopened', 'a call opens its media once');
    const opening = Promise.withResolvers<void>();
    const late = (): void =>
      opening.reject(new GatewayError('deadline_exceeded', 'The media leg did not open in time'));
    const deadline = setTimeout(late, OPEN_DEADLINE_MS);
    this.#opening = opening;
    const memory = new SharedArrayBuffer(MEDIA_MEMORY_BYTES);
    // The protocol guarantees the types of what its own leg reports and returns.
    const tell = onEvent as OpenedWith['onEvent'];
    this.#place({ kind, open, memory, moves: new MoveLimit(), onEvent: tell, config: null }, [], false);
    return opening.promise
      .finally(() => {
        clearTimeout(deadline);
        this.#opening = null;
      })
      .then(() => this.#opened as OpenMedia<Config, Commands>);
  }

  async #configure(config: unknown): Promise<void> {
    if ('media' in this.#state) this.#state.media.config = config;
    const make = (requestId: number) => ({ type: 'media.configure', requestId, config }) as const;
    await this.#ask(CONFIGURE_DEADLINE_MS, 'The media configuration', make);
  }

  #command(name: string, args: readonly unknown[]): Promise<unknown> {
    const make = (requestId: number) => ({ type: 'media.command', requestId, name, args }) as const;
    return this.#ask(COMMAND_DEADLINE_MS, 'The media command', make);
  }

  startListening(): void {
    if (this.#audio === 'none') this.#flow('inward');
  }

  startAudio(): void {
    if (this.#audio !== 'both') this.#flow('both');
  }

  #flow(flow: AudioFlow): void {
    this.#audio = flow;
    this.send({ type: 'call.audio', flow });
  }

  tap(voice: number, ring: FrameRing | null): void {
    const others = this.#taps.filter((tap) => tap.voice !== voice);
    this.#taps = ring === null ? others : [...others, { voice, ring }];
    this.send({ type: 'voice.tap', voice, ring });
  }

  hostSpeech(speech: SpeechRings): void {
    this.#speech = speech;
    this.send({ type: 'call.speech', speech });
  }

  listen(): void {
    this.#isListenedTo = true;
    this.send({ type: 'call.listen' });
  }

  joinAgent(observer: AgentAudioObserver, memory: QueueBudget): AgentAudio {
    const link = new AgentLink(observer, memory);
    return link.sit(this.seatAgent(link, { uplink: link.uplinkMemory, bell: null }));
  }

  seatAgent(end: AgentEnd, rings: AgentRings): AgentSeat {
    this.#lastLegId++;
    const seat = new AgentSeat(this.#lastLegId, this, end, rings);
    this.#agents.push(seat);
    if (this.#state.name === 'placed') seat.placed(this.#state.slot);
    this.send({ type: 'agent.join', agent: seat.placement() });
    return seat;
  }

  async report(): Promise<AudioReport> {
    const make = (requestId: number) => ({ type: 'call.report', requestId }) as const;
    return (await this.#ask(REPORT_DEADLINE_MS, 'The audio report', make)) as AudioReport;
  }

  close(): Promise<void> {
    if (this.#closing || this.#state.name === 'ended') return this.#closed.promise;
    this.#closing = true;
    if (this.#state.name === 'unopened') this.#end();
    else {
      this.send({ type: 'call.close' });
      setTimeout(() => this.#end(), CLOSE_DEADLINE_MS).unref();
    }
    return this.#closed.promise;
  }

  send(command: CallCommand): void {
    if (this.#state.name === 'placing') this.#state.held.push(command);
    else if (this.#state.name === 'placed') this.#post(command, this.#state.worker);
  }

  left(seat: AgentSeat): void {
    const index = this.#agents.indexOf(seat);
    if (index >= 0) this.#agents.splice(index, 1);
  }

  /** Moves the agents' audio after a tick of the call. */
  doorbell(): void {
    for (let i = 0; i < this.#agents.length; i++) (this.#agents[i] as AgentSeat).doorbell();
  }

  /** Handles a message from a worker about this call. */
  received(message: CallEvent | Reply, worker: WorkerLink): void {
    switch (message.type) {
      case 'reply':
        return this.#requests.settle(message);
      case 'call.placed':
        return this.#placed(message.callNumber, worker, message.slot);
      case 'media.event':
        if ('media' in this.#state) this.#state.media.onEvent(message.event);
        return;
      case 'call.turn':
        return this.#observer.turned(message.turn);
      case 'call.heard':
        return this.#observer.heard(message.fact);
      case 'agent.mark':
        return this.#agent(message.legId)?.marked(message.markId);
      case 'agent.held':
        return this.#agent(message.legId)?.held(message.isHeld, message.playedMs);
      case 'agent.cleared':
        return this.#agent(message.legId)?.cleared(message.playedMs, message.droppedMs);
      default:
        return unreachable(message);
    }
  }

  #ask(deadlineMs: number, what: string, make: (requestId: number) => RequestCommand): Promise<unknown> {
    if (!('media' in this.#state)) return Promise.reject(new GatewayError('call_not_active'));
    return this.#requests.ask(deadlineMs, what, make, (command) => this.send(command));
  }

  #post(command: CallCommand, worker: WorkerLink): void {
    if ('requestId' in command) this.#requests.sent(command.requestId);
    worker.post({ ...command, callId: this.callId });
  }

  /** Starts a task with everything known about the call. `held` are commands that a placement cannot carry. */
  #place(media: OpenedWith, held: CallCommand[], again: boolean): void {
    const { callId } = this;
    const callNumber = this.#host.nextCallNumber();
    this.#state = { name: 'placing', media, callNumber, held };
    const { kind, open, memory, config } = media;
    const placement = {
      version: PROTOCOL_VERSION,
      callId,
      callNumber,
      media: { kind, open, memory, config },
      audio: this.#audio,
      agents: this.#agents.map((agent) => agent.placement()),
      taps: this.#taps,
      speech: this.#speech,
      isListenedTo: this.#isListenedTo,
    } as const;
    this.#host.run(placement, again).then(
      (outcome) => this.#finished(outcome),
      (error) => this.#lost(String(error)),
    );
  }

  #placed(callNumber: number, worker: WorkerLink, slot: number): void {
    if (this.#state.name !== 'placing' || this.#state.callNumber !== callNumber) return;
    const { media, held } = this.#state;
    this.#state = { name: 'placed', media, callNumber, worker, slot };
    worker.hold(this, slot);
    for (const agent of this.#agents) agent.placed(slot);
    for (const command of held) this.#post(command, worker);
    this.#opening?.resolve();
  }

  #finished(outcome: CallOutcome): void {
    switch (outcome.type) {
      case 'closed':
        return afterMessages(() => this.#end());
      case 'open_failed':
        if (this.#opening === null) this.#lost(outcome.error.message);
        else this.#notOpened(fromWireError(outcome.error));
        return;
      case 'failed':
        this.#host.failed(this.callId, outcome.error);
        return this.#end({ result: 'internal_error', reason: 'The call failed in the engine' });
      default:
        return unreachable(outcome);
    }
  }

  #notOpened(error: Error): void {
    this.#opening?.reject(error);
    this.#state = { name: 'unopened' };
    if (this.#closing) this.#end();
  }

  /** Handles the loss of the worker: places the call again, unless the call itself is the likely cause. */
  #lost(reason: string): void {
    if (!('media' in this.#state)) return;
    const { media } = this.#state;
    if (this.#closing) this.#end();
    else if (this.#isCulprit() || !media.moves.note()) {
      this.#end({ result: 'internal_error', reason: 'The call lost its engine thread' });
    } else {
      this.#host.moved(this.callId, reason);
      const held = this.#requests.moved(({ type }) => type === 'media.configure');
      this.#place(media, held, true);
    }
  }

  /**
   * Whether this call made its worker fail. A stalled worker proves it; a worker that died while running this call only
   * makes it a suspect, and the second such death counts as proof.
   */
  #isCulprit(): boolean {
    if (this.#state.name !== 'placed') return false;
    const { worker, callNumber } = this.#state;
    if (worker.stats.currentCall !== callNumber) return false;
    const culprit = worker.stalled || this.#suspected;
    this.#suspected = true;
    return culprit;
  }

  #end(termination?: Termination): void {
    if (this.#state.name === 'ended') return;
    if (this.#state.name === 'placed') this.#state.worker.release(this, this.#state.slot);
    this.#state = { name: 'ended' };
    const gone = new GatewayError('call_not_active');
    this.#opening?.reject(gone);
    this.#requests.failAll(gone);
    for (const agent of [...this.#agents]) agent.leave();
    this.#host.left(this);
    this.#closed.resolve();
    if (termination !== undefined) this.#observer.ended(termination);
  }

  #agent(legId: number): AgentSeat | undefined {
    return this.#agents.find((agent) => agent.legId === legId);
  }
}
