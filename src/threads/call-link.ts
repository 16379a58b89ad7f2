import { assert } from '../base/assert.ts';
import { GatewayError } from '../base/errors.ts';
import type { Termination } from '../base/termination.ts';
import type { MediaControl } from '../connectors/contract/media-control.ts';
import { MEDIA_MEMORY_BYTES, type MediaEvent } from '../connectors/contract/media-leg.ts';
import { type AgentAudio, type AgentAudioObserver, AgentLink } from './agent-link.ts';
import {
  type CallOutcome,
  type CallPlacement,
  type Command,
  type Event,
  fromWireError,
  PROTOCOL_VERSION,
  type WireError,
} from './protocol.ts';
import { Requests } from './requests.ts';
import type { WorkerLink } from './worker-link.ts';

const OPEN_DEADLINE_MS = 10_000;
const CONFIGURE_DEADLINE_MS = 5_000;
const COMMAND_DEADLINE_MS = 30_000;
const CLOSE_DEADLINE_MS = 3_000;
/** A call that loses its worker more often than this within a minute is itself the likely cause. */
const MAX_MOVES_A_MINUTE = 3;

/** What a call on the engine tells its owner. */
export interface EngineCallObserver {
  /** The call's media half is gone for good and not by `close`: a bug, or no worker could hold it. */
  ended(termination: Termination): void;
}

/** A call's media half, wherever it runs. */
export interface EngineCall {
  readonly media: MediaControl;
  /** Lets agents speak and hear. What they said before waits until then and is played first. Safe to call twice. */
  startAudio(): void;
  /** Takes an agent into the room. */
  joinAgent(observer: AgentAudioObserver): AgentAudio;
  /** Ends the media half; resolves when its sockets are closed, or after a deadline. Safe to call twice. */
  close(): Promise<void>;
}

/** What a call needs from the engine. */
export interface CallLinkHost {
  nextCallNumber(): number;
  /** `again`: the placement moves a call whose worker was lost. */
  run(placement: CallPlacement, again: boolean): Promise<CallOutcome>;
  moved(callId: string, reason: string): void;
  failed(callId: string, error: WireError): void;
  left(call: CallLink): void;
}

interface OpenRequest {
  readonly kind: string;
  readonly open: unknown;
  readonly memory: SharedArrayBuffer;
  readonly onEvent: (event: MediaEvent) => void;
}

type State =
  | { readonly name: 'unopened' }
  /** A task is on its way; commands that its placement does not hold wait in `held`. */
  | { readonly name: 'placing'; readonly callNumber: number; readonly held: Command[] }
  | { readonly name: 'placed'; readonly callNumber: number; readonly worker: WorkerLink }
  | { readonly name: 'ended' };

/** Main's end of a call: the journal from which it can be placed again, and the way to the worker that holds it. */
export class CallLink implements EngineCall, MediaControl {
  readonly callId: string;
  readonly #host: CallLinkHost;
  readonly #observer: EngineCallObserver;
  readonly #requests = new Requests();
  readonly #agents: AgentLink[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #state: State = { name: 'unopened' };
  #opened: OpenRequest | null = null;
  #opening: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;
  #config: unknown = null;
  #audioStarted = false;
  /** Requests that the present worker has taken and not answered. */
  readonly #unanswered = new Map<number, Command>();
  #lastLegId = 0;
  #closing = false;
  #movedAtMs: number[] = [];
  #suspected = false;

  constructor(callId: string, host: CallLinkHost, observer: EngineCallObserver) {
    this.callId = callId;
    this.#host = host;
    this.#observer = observer;
  }

  get media(): MediaControl {
    return this;
  }

  open(kind: string, open: unknown, onEvent: (event: MediaEvent) => void): Promise<void> {
    assert(this.#state.name === 'unopened', 'a call opens its media once');
    this.#opened = { kind, open, memory: new SharedArrayBuffer(MEDIA_MEMORY_BYTES), onEvent };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = (): void =>
      reject(new GatewayError('deadline_exceeded', 'The media leg did not open in time'));
    const deadline = setTimeout(late, OPEN_DEADLINE_MS);
    this.#opening = { resolve, reject };
    this.#place([], false);
    return promise.finally(() => {
      clearTimeout(deadline);
      this.#opening = null;
    });
  }

  configure(config: unknown): Promise<void> {
    this.#config = config;
    return this.#ask(CONFIGURE_DEADLINE_MS, 'The media configuration', (requestId) => ({
      type: 'media.configure',
      callId: this.callId,
      requestId,
      config,
    }));
  }

  command(command: unknown): Promise<void> {
    return this.#ask(COMMAND_DEADLINE_MS, 'The media command', (requestId) => ({
      type: 'media.command',
      callId: this.callId,
      requestId,
      command,
    }));
  }

  startAudio(): void {
    if (this.#audioStarted) return;
    this.#audioStarted = true;
    this.send({ type: 'call.start_audio', callId: this.callId });
  }

  joinAgent(observer: AgentAudioObserver): AgentAudio {
    this.#lastLegId++;
    const { callId } = this;
    const agent = new AgentLink(this.#lastLegId, this, observer);
    this.#agents.push(agent);
    this.send({ type: 'agent.join', callId, agent: agent.placement() });
    return agent;
  }

  close(): Promise<void> {
    if (this.#closing || this.#state.name === 'ended') return this.#closed.promise;
    this.#closing = true;
    if (this.#state.name === 'unopened') this.#end();
    else {
      this.send({ type: 'call.close', callId: this.callId });
      setTimeout(() => this.#end(), CLOSE_DEADLINE_MS).unref();
    }
    return this.#closed.promise;
  }

  send(command: Command): void {
    if (this.#state.name === 'placing') this.#state.held.push(command);
    else if (this.#state.name === 'placed') this.#post(command, this.#state.worker);
  }

  left(agent: AgentLink): void {
    const index = this.#agents.indexOf(agent);
    if (index >= 0) this.#agents.splice(index, 1);
  }

  /** The worker that holds the call has ticked. */
  doorbell(): void {
    for (let i = 0; i < this.#agents.length; i++) (this.#agents[i] as AgentLink).doorbell();
  }

  /** What a worker says about this call. */
  handle(event: Event, worker: WorkerLink): void {
    switch (event.type) {
      case 'call.placed':
        this.#placed(event.callNumber, worker);
        return;
      case 'media.event':
        this.#opened?.onEvent(event.event);
        return;
      case 'agent.mark':
        this.#agent(event.legId)?.marked(event.markId);
        return;
      case 'agent.cleared':
        this.#agent(event.legId)?.cleared(event.playedMs, event.droppedMs);
        return;
      case 'worker.fault':
        return;
    }
  }

  settle(reply: Parameters<Requests['settle']>[0]): void {
    this.#unanswered.delete(reply.requestId);
    this.#requests.settle(reply);
  }

  #ask(deadlineMs: number, what: string, command: (requestId: number) => Command): Promise<void> {
    if (this.#opened === null || this.#state.name === 'ended') {
      return Promise.reject(new GatewayError('call_not_active'));
    }
    return this.#requests.ask(deadlineMs, what, (requestId) => this.send(command(requestId)));
  }

  /** Starts a task with all that is known of the call; `held` are commands that no placement can carry. */
  #place(held: Command[], again: boolean): void {
    assert(this.#opened !== null, 'a call is placed when its media opens');
    const { kind, open, memory } = this.#opened;
    const callNumber = this.#host.nextCallNumber();
    this.#state = { name: 'placing', callNumber, held };
    const placement: CallPlacement = {
      version: PROTOCOL_VERSION,
      callId: this.callId,
      callNumber,
      media: { kind, open, memory, config: this.#config },
      audioStarted: this.#audioStarted,
      agents: this.#agents.map((agent) => agent.placement()),
    };
    this.#host.run(placement, again).then(
      (outcome) => this.#finished(outcome),
      (error) => this.#lost(String(error)),
    );
  }

  #placed(callNumber: number, worker: WorkerLink): void {
    if (this.#state.name !== 'placing' || this.#state.callNumber !== callNumber) return;
    const { held } = this.#state;
    this.#state = { name: 'placed', callNumber, worker };
    worker.calls.add(this);
    for (const command of held) this.#post(command, worker);
    this.#opening?.resolve();
  }

  #finished(outcome: CallOutcome): void {
    if (this.#state.name === 'ended') return;
    switch (outcome.type) {
      case 'closed':
        this.#end();
        return;
      case 'open_failed':
        if (this.#opening === null) this.#lost(outcome.error.message);
        else this.#notOpened(fromWireError(outcome.error));
        return;
      case 'failed':
        this.#host.failed(this.callId, outcome.error);
        this.#end({ result: 'internal_error', reason: outcome.error.message });
        return;
    }
  }

  #notOpened(error: Error): void {
    this.#state = { name: 'unopened' };
    this.#opened = null;
    this.#opening?.reject(error);
    if (this.#closing) this.#end();
  }

  /** The task has lost its worker: places the call again, unless it is itself the likely cause. */
  #lost(reason: string): void {
    if (this.#state.name === 'ended') return;
    if (this.#closing) {
      this.#end();
      return;
    }
    if (this.#isCulprit() || !this.#mayMove()) {
      this.#end({ result: 'internal_error', reason: 'The call lost its engine thread' });
      return;
    }
    this.#host.moved(this.callId, reason);
    this.#place(this.#requestsToKeep(), true);
  }

  /** A stalled worker names the call that held it up; one that died in this call's tick only casts suspicion. */
  #isCulprit(): boolean {
    if (this.#state.name !== 'placed') return false;
    const { worker, callNumber } = this.#state;
    worker.calls.delete(this);
    if (worker.stats.currentCall !== callNumber) return false;
    const culprit = worker.stalled || this.#suspected;
    this.#suspected = true;
    return culprit;
  }

  #mayMove(): boolean {
    const nowMs = performance.now();
    this.#movedAtMs = this.#movedAtMs.filter((atMs) => nowMs - atMs < 60_000);
    this.#movedAtMs.push(nowMs);
    return this.#movedAtMs.length <= MAX_MOVES_A_MINUTE;
  }

  #post(command: Command, worker: WorkerLink): void {
    if (command.type === 'media.configure' || command.type === 'media.command') {
      this.#unanswered.set(command.requestId, command);
    }
    worker.post(command);
  }

  /**
   * Requests go with the call, except passing ones that the lost worker had begun: doing those twice would be
   * wrong, so they fail. All else is in the placement.
   */
  #requestsToKeep(): Command[] {
    const kept: Command[] = [];
    for (const [requestId, command] of this.#unanswered) {
      if (command.type === 'media.configure') kept.push(command);
      else this.#requests.fail(requestId, new GatewayError('internal_error', 'The engine thread was lost'));
    }
    this.#unanswered.clear();
    const held = this.#state.name === 'placing' ? this.#state.held : [];
    return kept.concat(held.filter(({ type }) => type === 'media.configure' || type === 'media.command'));
  }

  #end(termination?: Termination): void {
    if (this.#state.name === 'ended') return;
    if (this.#state.name === 'placed') this.#state.worker.calls.delete(this);
    this.#state = { name: 'ended' };
    const gone = new GatewayError('call_not_active');
    this.#opening?.reject(gone);
    this.#requests.failAll(gone);
    for (const agent of [...this.#agents]) agent.close();
    this.#host.left(this);
    this.#closed.resolve();
    if (termination !== undefined) this.#observer.ended(termination);
  }

  #agent(legId: number): AgentLink | undefined {
    return this.#agents.find((agent) => agent.legId === legId);
  }
}
