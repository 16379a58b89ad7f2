import { assert, unreachable } from '../base/assert.ts';
import { GatewayError } from '../base/errors.ts';
import type { RecognizedLine } from '../base/speech.ts';
import type { Termination } from '../base/termination.ts';
import type { CancelTimer, Clock } from '../base/time.ts';
import { wallMs } from '../base/wall-ms.ts';
import type { PlatformLeg } from '../connectors/contract/call-leg.ts';
import type { CallLogin } from '../connectors/contract/connector.ts';
import type { MediaControl } from '../media/media-control.ts';
import type {
  AgentAudio,
  AgentAudioObserver,
  AgentEnd,
  AgentRings,
  AgentSeat,
  AudioReport,
  EngineCall,
} from '../threads/engine.ts';
import type { PlayoutBudget } from '../threads/playout-budget.ts';
import { CallAnswer } from './call-answer.ts';
import { CallCapabilities } from './call-capabilities.ts';
import { callErrorOf } from './call-error.ts';
import type { CallEvent, CallIdentity, CallSnapshot, CallStart } from './call-event.ts';
import {
  type CallMessage,
  type CallPhase,
  type CallProgress,
  type CallState,
  isOver,
  type LegAction,
  phaseOf,
  transition,
} from './call-state.ts';
import { ChatSender } from './chat-sender.ts';
import type { InboundChatDeps } from './inbound-chat.ts';
import { InterimListeners } from './interim-listeners.ts';
import { LegEvents, type ObservedCall } from './leg-events.ts';
import { Transcript } from './transcript.ts';
import { TurnClock } from './turn-clock.ts';
import { type AskTurnModel, TurnEnds } from './turn-ends.ts';

/** How long a call may stay in each phase before its deadline moves it on. */
export type CallDeadlines = Readonly<Record<`${CallPhase}Ms`, number>>;

/** A client of the API, which may stop speech before it has begun, or a person who speaks over it. */
export type Silencer = 'client' | 'person';

export interface CallObserver {
  event(event: CallEvent): void;
  /** All that the gateway says is being cut off. `utterance` events tell later what was heard of it, if there was any. */
  silenced?(by: Silencer): void;
}

/** Where everything that happens on a call goes (`CallPublisher`). */
export interface CallEventSink {
  publish(call: CallActor, event: CallEvent): void;
}

/** Dependencies of a call. */
interface CallDeps {
  readonly engineCall: EngineCall;
  readonly clock: Clock;
  readonly deadlines: CallDeadlines;
  readonly publisher: CallEventSink;
  readonly chat: InboundChatDeps;
  /** Null: no model tells whether somebody has said all. */
  readonly askTurn: AskTurnModel | null;
  /** Memory for agent audio queued ahead of playback. */
  readonly playout: PlayoutBudget;
}

/** The leg of a call that could not get a real one. */
const NO_LEG: PlatformLeg = { accept() {}, refuse() {}, hangUp() {}, released: Promise.resolve() };

/** Limit of observers per call. */
const MAX_OBSERVERS = 64;

/**
 * The control part of one call: a mailbox in front of the pure state machine. Every event of a call is a message.
 * Messages are handled one at a time, in order, on the main thread.
 */
export class CallActor implements ObservedCall {
  readonly identity: CallIdentity;
  /** With which the call was placed or received. */
  readonly login: CallLogin;
  readonly transcript = new Transcript();
  readonly interims = new InterimListeners();
  readonly turnClock: TurnClock;
  readonly turnEnds: TurnEnds;
  /** Finds out who has answered. Null: nobody wants to know. */
  readonly answer: CallAnswer | null;
  readonly chatSender: ChatSender;
  /** Streams of agents that use Opus. */
  readonly opusStreams = new Set<object>();
  /** What the platform leg reports. */
  readonly legObserver: LegEvents;
  readonly capabilities: CallCapabilities;
  readonly #deps: CallDeps;
  readonly #observers = new Set<CallObserver>();
  readonly #mailbox: CallMessage[] = [];
  readonly #changes: (() => void)[] = [];
  readonly #startedMs: number;
  #state: CallState;
  #leg: PlatformLeg | null = null;
  #endedAt: string | null = null;
  #meetingUrl: string;
  /** The last snapshot, reused until the call changes. */
  #shown: CallSnapshot | null = null;
  readonly #sipHeaders: CallSnapshot['sipHeaders'];
  #busy = false;
  #cancelDeadline: CancelTimer = () => {};

  constructor(identity: CallIdentity, start: CallStart, deps: CallDeps) {
    this.identity = identity;
    this.#meetingUrl = identity.meetingUrl;
    this.login = start.login;
    this.#sipHeaders = start.sipHeaders ?? {};
    this.#deps = deps;
    const { askTurn } = deps;
    this.chatSender = new ChatSender(deps.clock);
    this.turnClock = new TurnClock(deps.clock, (metrics) => {
      if (!this.isOver) this.publish({ type: 'turn_metrics', ...metrics });
    });
    this.turnEnds = new TurnEnds({
      clock: deps.clock,
      ask: askTurn && ((text) => askTurn(identity.accountId, text)),
      ended: (speaker, reason, confidence) => {
        if (!this.isOver) this.publish({ type: 'end_of_turn', speaker, reason, confidence });
      },
    });
    const { machineDetection: mode = 'off' } = start;
    this.answer = mode === 'off' ? null : new CallAnswer(mode, this, deps.clock);
    this.capabilities = new CallCapabilities(start, () => this.#capabilitiesChanged());
    this.legObserver = new LegEvents(this, deps);
    this.#startedMs = deps.clock.monotonicMs();
    this.#state =
      identity.direction === 'outbound'
        ? { name: 'connecting', waiting: null, progress: null }
        : { name: 'ringing', accepting: false };
  }

  get state(): CallState {
    return this.#state;
  }

  get isOver(): boolean {
    return isOver(this.#state);
  }

  /** Null until the call gets one. */
  get leg(): PlatformLeg | null {
    return this.#leg;
  }

  /** The call's media, for the connector that creates its leg. */
  get media(): MediaControl {
    return this.#deps.engineCall.media;
  }

  /** The call's room, for those who hear what the far end says. */
  get room(): Pick<EngineCall, 'hostSpeech' | 'tap' | 'listen'> {
    return this.#deps.engineCall;
  }

  /** Milliseconds since the call was created. */
  ageMs(): number {
    return this.#deps.clock.monotonicMs() - this.#startedMs;
  }

  /** Publishes the call's first state. Call it once, before anything else. */
  announce(): void {
    this.publish({ type: 'call_state', state: this.#state.name });
  }

  /** Sets the leg, starts the first deadline and handles the messages that arrived before the leg. */
  begin(leg: PlatformLeg): void {
    assert(this.#leg === null, 'the call already has its platform leg');
    this.#leg = leg;
    this.#armDeadline();
    this.#drain();
  }

  /** Ends a call that never got a leg. Does nothing once there is one. */
  abandon(termination: Termination): void {
    if (this.#leg !== null) return;
    this.begin(NO_LEG);
    this.post({ type: 'leg_ended', by: 'local', termination });
  }

  post(message: CallMessage): void {
    this.#mailbox.push(message);
    this.#drain();
  }

  snapshot(): CallSnapshot {
    this.#shown ??= this.#show();
    return this.#shown;
  }

  changed(): void {
    this.#shown = null;
  }

  /** Resolves with the new state once the call leaves state `name`. The state's deadline bounds the wait. */
  async leaves(name: CallState['name']): Promise<CallState> {
    while (this.#state.name === name) await new Promise<void>((resolve) => this.#changes.push(resolve));
    return this.#state;
  }

  /**
   * Adds an observer and returns a function that removes it. Throws `too_many_streams` when the call has the maximum
   * number.
   */
  observe(observer: CallObserver): () => void {
    if (this.#observers.size >= MAX_OBSERVERS) throw new GatewayError('too_many_streams');
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** Adds an agent's audio to the call's room. Audio flows both ways once the call is `active`. */
  joinAgent(observer: AgentAudioObserver): AgentAudio {
    return this.#deps.engineCall.joinAgent(observer, this.#deps.playout.queueOf(this.identity.accountId));
  }

  /** The same for an agent whose socket is on another thread. */
  seatAgent(end: AgentEnd, rings: AgentRings): AgentSeat {
    return this.#deps.engineCall.seatAgent(end, rings);
  }

  /** Sets the meeting, which was created for the call. */
  located(meetingUrl: string): void {
    this.#meetingUrl = meetingUrl;
    this.changed();
    this.publish({ type: 'call_meeting', meeting_url: meetingUrl });
  }

  /** Adds a line to the transcript and publishes it, also when the call is over. */
  transcribed(line: RecognizedLine): void {
    this.turnClock.understood(wallMs());
    this.answer?.understood(line.text, true);
    this.transcript.add({ speaker: line.speaker, text: line.text });
    this.publish({ type: 'call_transcript', ...line });
    if (!this.isOver) this.turnEnds.understood(line.speaker, line.text);
  }

  publish(event: CallEvent): void {
    this.#deps.publisher.publish(this, event);
  }

  /** Hosted speech cuts off what it says. */
  silenced(by: Silencer): void {
    for (const observer of this.#observers) observer.silenced?.(by);
  }

  /** Passes a published event on to the call's observers. */
  tell(event: CallEvent): void {
    for (const observer of this.#observers) observer.event(event);
  }

  /** Sends DTMF digits on the platform leg. Throws `call_not_active` or `capability_missing`. */
  async sendDtmf(digits: string): Promise<void> {
    if (this.#state.name !== 'active') throw new GatewayError('call_not_active');
    if (this.#leg?.dtmf === undefined) throw new GatewayError('capability_missing');
    await this.#leg.dtmf.sendDtmf(digits);
  }

  /** Reads how the call's audio is doing now. Throws `call_not_active`. */
  async audioReport(): Promise<AudioReport> {
    if (this.#state.name !== 'active') throw new GatewayError('call_not_active');
    return await this.#deps.engineCall.report();
  }

  /** Resolves when the leg and the engine have released all their resources. */
  async released(): Promise<void> {
    await Promise.all([this.#leg?.released, this.#deps.engineCall.close()]);
  }

  #show(): CallSnapshot {
    const state = this.#state;
    return {
      ...this.identity,
      meetingUrl: this.#meetingUrl,
      state: state.name,
      waitingReason: state.name === 'connecting' ? state.waiting : null,
      progress: state.name === 'connecting' ? state.progress : null,
      onHold: state.name === 'active' && state.onHold,
      capabilities: this.capabilities.current,
      participants: this.legObserver.present,
      sipHeaders: this.#sipHeaders,
      endedAt: this.#endedAt,
      termination: isOver(state) ? state.termination : null,
    };
  }

  #drain(): void {
    if (this.#busy || this.#leg === null) return;
    this.#busy = true;
    try {
      for (let message = this.#mailbox.shift(); message; message = this.#mailbox.shift())
        this.#handle(message);
    } finally {
      this.#busy = false;
    }
  }

  #handle(message: CallMessage): void {
    const before = this.#state;
    const next = transition(before, message);
    if (next.state === before) return;
    this.#state = next.state;
    this.#actOnLeg(next.leg);
    if (phaseOf(next.state) !== phaseOf(before)) this.#armDeadline();
    if (next.state.name === 'active') this.#deps.engineCall.startAudio();
    if (next.state.name === 'active' && before.name !== 'active') this.answer?.begin();
    if (isOver(next.state)) {
      this.#endedAt = this.#deps.clock.nowIso();
      this.answer?.close();
      this.turnEnds.close();
      void this.#deps.engineCall.close();
    }
    this.changed();
    if (next.state.name !== before.name) this.#stateChanged(before.name, next.state);
    else this.#changedWithin(before, next.state);
  }

  /** Tells what has changed while the state keeps its name. */
  #changedWithin(before: CallState, state: CallState): void {
    if (state.name === 'active') this.publish({ type: 'call_hold', on_hold: state.onHold });
    if (state.name !== 'connecting' || before.name !== 'connecting') return;
    const { waiting, progress } = state;
    if (waiting !== before.waiting && waiting !== null)
      this.publish({ type: 'call_waiting', reason: waiting });
    if (progress !== before.progress && progress !== null) this.#progressed(progress);
  }

  #progressed(progress: CallProgress): void {
    if (progress === 'early_media') this.#deps.engineCall.startListening();
    this.publish({ type: 'call_progress', progress });
  }

  #stateChanged(former: CallState['name'], state: CallState): void {
    const error = isOver(state) ? callErrorOf(former, state) : null;
    if (error !== null) this.publish(error);
    const end = isOver(state) ? { termination: state.termination } : {};
    this.publish({ type: 'call_state', state: state.name, ...end });
    for (const resolve of this.#changes.splice(0)) resolve();
  }

  #capabilitiesChanged(): void {
    this.changed();
    this.publish({ type: 'call_capabilities', capabilities: this.capabilities.current });
  }

  #actOnLeg(action: LegAction): void {
    const leg = this.#leg;
    assert(leg !== null, 'messages must wait until the call has its leg');
    switch (action) {
      case 'none':
        return;
      case 'accept':
        return leg.accept();
      case 'refuse':
        return leg.refuse();
      case 'hang_up':
        return leg.hangUp();
      default:
        return unreachable(action);
    }
  }

  /** A phase has one deadline, however often the reason for waiting changes. */
  #armDeadline(): void {
    this.#cancelDeadline();
    const phase = phaseOf(this.#state);
    this.#cancelDeadline =
      phase === null
        ? () => {}
        : this.#deps.clock.after(this.#deps.deadlines[`${phase}Ms`], () => this.post({ type: 'deadline' }));
  }
}
