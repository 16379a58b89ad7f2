import { assert, unreachable } from '../base/assert.ts';
import type { MediaLeg, MediaLegFactory, MediaLegHost } from '../media/media-leg.ts';
import { runCommand } from '../media/media-protocol.ts';
import { SentLevel } from '../rings/sent-level.ts';
import type { SpeechRings } from '../rings/speech-rings.ts';
import type { VoiceCodecs } from '../rtp/codecs/voice-codecs.ts';
import type { EngineStats } from '../threads/engine-stats.ts';
import {
  type AgentPlacement,
  type AudioFlow,
  type AudioReport,
  type CallOutcome,
  type CallPlacement,
  type Command,
  type Event,
  type HeardFact,
  type Reply,
  toWireError,
} from '../threads/protocol.ts';
import type { AgentBells } from './agent-bells.ts';
import { AgentLegParty } from './agent-leg.ts';
import { AnswerListener } from './answer-listener.ts';
import { ListeningParty } from './listening-party.ts';
import type { Mixer, Party } from './mixer.ts';
import { PlatformLegParty } from './platform-leg.ts';
import { SpeechParty } from './speech-party.ts';
import { TurnMeter } from './turn-meter.ts';

/** Once a second, unless the call is resting. */
const TICKS_BETWEEN_COUNTS = 50;

/** The worker's services for a call. */
export interface MediaCallHost {
  readonly stats: EngineStats;
  readonly codecs: VoiceCodecs;
  readonly bells: AgentBells;
  mixerFor(sampleRateHz: number): Mixer;
  post(message: Event | Reply): void;
}

/** The media half of one call: a room with the platform's leg, the agents' legs and hosted speech. */
export class MediaCall {
  readonly callId: string;
  readonly callNumber: number;
  /** Resolves when the call has ended and released its resources. Never rejects. */
  readonly outcome: Promise<CallOutcome>;
  readonly #host: MediaCallHost;
  readonly #leg: MediaLeg;
  readonly #mixer: Mixer;
  readonly #platform: PlatformLegParty;
  #parties: readonly Party[];
  readonly #agents: AgentLegParty[] = [];
  /** Of agents that have left, so that the totals of the call never fall. */
  readonly #left = { underruns: 0, shortenedMs: 0, lengthenedMs: 0 };
  #speech: SpeechParty | null = null;
  readonly #resolve: (outcome: CallOutcome) => void;
  #ticksToCount = TICKS_BETWEEN_COUNTS;
  #audio: AudioFlow;
  #ended = false;

  /** Opens the media leg and applies the placement. Rejects when the leg does not open. */
  static async open(
    placement: CallPlacement,
    factory: MediaLegFactory,
    host: MediaCallHost,
  ): Promise<MediaCall> {
    const { callId, media } = placement;
    let call: MediaCall | null = null;
    let early: { error: unknown } | null = null;
    const legHost: MediaLegHost<unknown> = {
      emit: (event) => host.post({ type: 'media.event', callId, event }),
      fail: (error) => {
        if (call === null) early = { error };
        else call.fail(error);
      },
    };
    const leg = await factory.open(media.open, media.memory, legHost);
    try {
      if (media.config !== null) leg.configure(media.config);
      call = new MediaCall(placement, leg, host);
    } catch (error) {
      leg.close();
      throw error;
    }
    if (early !== null) call.fail((early as { error: unknown }).error);
    return call;
  }

  private constructor(placement: CallPlacement, leg: MediaLeg, host: MediaCallHost) {
    this.callId = placement.callId;
    this.callNumber = placement.callNumber;
    this.#host = host;
    this.#leg = leg;
    this.#mixer = host.mixerFor(leg.sampleRateHz);
    const { callId } = this;
    const turns = new TurnMeter((turn) => host.post({ type: 'call.turn', callId, turn }));
    this.#platform = new PlatformLegParty(leg, host.stats, turns);
    this.#parties = [this.#platform];
    this.#audio = placement.audio;
    const { promise, resolve } = Promise.withResolvers<CallOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    for (const agent of placement.agents) this.#join(agent);
    for (const { voice, ring } of placement.taps) this.#platform.tap(voice, ring);
    if (placement.speech !== null) this.#hostSpeech(placement.speech);
    if (placement.isListenedTo) this.#listen();
    this.#seat();
  }

  /** Of the room. */
  get sampleRateHz(): number {
    return this.#leg.sampleRateHz;
  }

  /** Has the threads woken on which agents wait for the tick. */
  announceTick(): void {
    for (let i = 0; i < this.#agents.length; i++) {
      const agent = this.#agents[i] as AgentLegParty;
      if (agent.isAwaiting) this.#host.bells.add(agent.bell);
    }
  }

  /** Whether an agent listens to packets of Opus. */
  get #hearsOpus(): boolean {
    for (let i = 0; i < this.#agents.length; i++) if (this.#agents[i]!.hearsOpus) return true;
    return false;
  }

  /** Whether most ticks may be skipped: nobody speaks or listens, and the leg is idle until a command arrives. */
  get resting(): boolean {
    const isAlone = this.#agents.length === 0 && this.#speech === null && !this.#platform.isTapped;
    return isAlone && this.#leg.resting;
  }

  /** Mixes one frame for all parties. An exception is a bug and ends this call. */
  tick(): void {
    if (this.#ended) return;
    this.#host.codecs.passed.begin(this.#hearsOpus);
    this.#mixer.mix(this.#parties);
    this.#afterTick();
    this.#ticksToCount--;
    if (this.#ticksToCount > 0 && !this.resting) return;
    this.#ticksToCount = TICKS_BETWEEN_COUNTS;
    this.#platform.collectCounters();
  }

  handle(command: Command): void {
    switch (command.type) {
      case 'media.configure':
        return this.#reply(command.requestId, async () => this.#leg.configure(command.config));
      case 'media.command':
        return this.#reply(command.requestId, () =>
          runCommand('media leg', this.#leg.commands, command.name, command.args),
        );
      case 'call.report':
        return this.#reply(command.requestId, async () => this.#report());
      case 'agent.join':
        return this.#join(command.agent);
      case 'agent.listen':
        return this.#agent(command.legId)?.listen(command.downlink);
      case 'agent.clear':
        return this.#agent(command.legId)?.clear(command.point.position, command.point.noteCount);
      case 'agent.hold':
        if (!command.isHeld) this.#platform.noteGoingOn();
        return this.#agent(command.legId)?.hold(command.isHeld);
      case 'agent.leave':
        return this.#leave(command.legId);
      case 'voice.tap':
        return this.#platform.tap(command.voice, command.ring);
      case 'call.speech':
        return this.#hostSpeech(command.speech);
      case 'call.listen':
        return this.#listen();
      case 'call.audio':
        this.#audio = command.flow;
        return this.#seat();
      case 'call.close':
        return this.#end({ type: 'closed' });
      default:
        return unreachable(command);
    }
  }

  /** Ends this call because of a bug. */
  fail(error: unknown): void {
    this.#end({ type: 'failed', error: toWireError(error) });
  }

  #end(outcome: CallOutcome): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const agent of [...this.#agents]) this.#leave(agent.legId);
    try {
      this.#platform.collectCounters();
      this.#leg.close();
      this.#resolve(outcome);
    } catch (error) {
      this.#resolve({ type: 'failed', error: toWireError(error) });
    }
  }

  #afterTick(): void {
    if (this.#audio === 'none') return;
    for (let i = 0; i < this.#agents.length; i++) (this.#agents[i] as AgentLegParty).afterTick();
    this.#speech?.afterTick();
  }

  /** Has everybody take part who may, after any change of that. */
  #seat(): void {
    const parties: Party[] = [this.#platform];
    this.#platform.isAnswered = this.#audio === 'both';
    if (this.#audio === 'inward') parties.push(...this.#agents.map((agent) => new ListeningParty(agent)));
    if (this.#audio === 'both')
      parties.push(...this.#agents, ...(this.#speech === null ? [] : [this.#speech]));
    this.#parties = parties;
  }

  #join(placement: AgentPlacement): void {
    const { callId } = this;
    const { stats, codecs, bells, post } = this.#host;
    const host = { callId, roomRateHz: this.#leg.sampleRateHz, stats, codecs, bells, post };
    const agent = new AgentLegParty(host, placement);
    this.#agents.push(agent);
    this.#seat();
    stats.add('agent_legs', 1);
  }

  #leave(legId: number): void {
    const agent = this.#agent(legId);
    if (agent === undefined) return;
    this.#agents.splice(this.#agents.indexOf(agent), 1);
    addTotals(this.#left, agent.playout);
    agent.close();
    this.#seat();
    this.#host.stats.add('agent_legs', -1);
  }

  #hostSpeech(rings: SpeechRings): void {
    assert(this.#speech === null, 'a call has one hosted speech');
    const host = { roomRateHz: this.#leg.sampleRateHz, stats: this.#host.stats, platform: this.#platform };
    this.#speech = new SpeechParty(rings, host);
    this.#platform.noteSentTo(new SentLevel(rings.sent));
    this.#seat();
  }

  /** Begins anew on another worker: who answered is known by then. */
  #listen(): void {
    const { callId } = this;
    const tell = (fact: HeardFact): void => this.#host.post({ type: 'call.heard', callId, fact });
    this.#platform.listenBy(new AnswerListener(this.#leg.sampleRateHz, tell));
  }

  #report(): AudioReport {
    const { delayMs, lost, late, concealed, droppedForDepth, shortenedMs, lengthenedMs } = this.#leg.counters;
    const { heardLevel, pushedLevel } = this.#platform;
    const sent = { level: pushedLevel.read(), delayMs: 0, ...this.#left };
    for (const { playout } of this.#agents) {
      sent.delayMs = Math.max(sent.delayMs, playout.queuedMs);
      addTotals(sent, playout);
    }
    return {
      received: {
        level: heardLevel.read(),
        delayMs,
        lost,
        late,
        concealed,
        droppedForDepth,
        shortenedMs,
        lengthenedMs,
      },
      sent,
    };
  }

  #agent(legId: number): AgentLegParty | undefined {
    return this.#agents.find((agent) => agent.legId === legId);
  }

  #reply(requestId: number, action: () => Promise<unknown>): void {
    const { callId } = this;
    action().then(
      (value) => this.#host.post({ type: 'reply', callId, requestId, ok: true, value }),
      (error) => this.#host.post({ type: 'reply', callId, requestId, ok: false, error: toWireError(error) }),
    );
  }
}

interface PlayoutTotals {
  underruns: number;
  shortenedMs: number;
  lengthenedMs: number;
}

function addTotals(total: PlayoutTotals, more: Readonly<PlayoutTotals>): void {
  total.underruns += more.underruns;
  total.shortenedMs += more.shortenedMs;
  total.lengthenedMs += more.lengthenedMs;
}
