import type { AgentModels } from '../agents/agent-domain.ts';
import { EventLoopLimit } from '../base/event-loop-limit.ts';
import { onBehalfOf } from '../base/on-behalf.ts';
import type { TurnMetrics } from '../base/speech.ts';
import { changeRows, type Db } from '../store/database/rows.ts';
import { type BusyLane, failQueued, listBusyLanes } from '../store/inline/delivery-turns.ts';
import { listInlineAgents } from '../store/inline/inline-agents.ts';
import { ReachLimits } from './actions/reach-limits.ts';
import type { ClaimedLane } from './feed/claim-events.ts';
import { FeedReaders } from './feed/feed-readers.ts';
import { LoopGuard } from './feed/loop-guard.ts';
import { TOO_BUSY } from './feed/skipped.ts';
import { Forgetting } from './forgetting/forgetting.ts';
import type { InlineDeps, InlineDomain } from './inline-domain.ts';
import { Lanes } from './lanes/lanes.ts';
import { KnownProviders } from './turn/known-providers.ts';
import { runTurn } from './turn/run-turn.ts';
import { SLOT_WAIT_MS } from './turn/turn-deadlines.ts';
import { TurnEnded } from './turn/turn-faults.ts';
import type { Interruption } from './voice/call-voice.ts';
import { CallVoices } from './voice/call-voices.ts';
import { greet } from './voice/greet.ts';

/** People often write several messages in a row. */
const BURST_MS = 1_000;
/** The end of a turn comes before, or the call is over. */
const MOST_TURN_MS = 15_000;

/** In place of a reply of which nothing was heard: providers refuse empty ones. */
const NOTHING_HEARD = '(Nothing of this was heard.)';

/** Calls the models of agents for the events of their feeds. */
export class InlineRunner implements AgentModels {
  readonly #domain: InlineDomain;
  /** Of beginnings in one iteration of the event loop. Each is a dozen queries that answer synchronously. */
  readonly #beginnings = new EventLoopLimit(1);
  readonly #lanes: Lanes;
  readonly #readers: FeedReaders;

  constructor(deps: InlineDeps) {
    const { clock, calls } = deps;
    this.#domain = {
      ...deps,
      forgetting: new Forgetting(deps),
      guard: new LoopGuard(clock),
      providers: new KnownProviders(deps.store),
      reach: new ReachLimits(clock),
      voices: new CallVoices({
        calls,
        clock,
        onAnswered: (call) => this.#later('a greeting', greet(this.#domain, call)),
        onInterrupted: (interruption) => this.#later('a reply', this.#heard(interruption)),
        onTurnEnded: ({ identity: { agentId, callId } }) => this.#lanes.hurry(agentId, callId),
        onMeasured: (turnId, metrics) => this.#later('the time of a reply', this.#measured(turnId, metrics)),
        onEnded: ({ identity: { agentId, callId } }) =>
          this.#lanes.interrupt(agentId, callId, new TurnEnded('call_ended')),
      }),
    };
    this.#lanes = new Lanes(clock, (place, signal) => this.#run(place, signal));
    this.#readers = new FeedReaders(this.#domain, (lane) => this.#claimed(lane));
  }

  /** Lanes with something to do. */
  get lanes(): number {
    return this.#lanes.size;
  }

  /** Resumes the turns that an earlier process left, then follows the feeds. */
  async start(): Promise<void> {
    for (const lane of await listBusyLanes(this.#domain.store.db)) this.#lanes.offer(lane, 0);
    this.#domain.forgetting.resume();
    await this.#readers.start();
  }

  /** Runs a lane with a new delivery. */
  offer(lane: BusyLane): void {
    this.#lanes.offer(lane, 0);
  }

  async leaveConversations(trx: Db, agentId: string): Promise<number> {
    return await this.#domain.forgetting.leaveConversations(trx, agentId);
  }

  async leaveTools(trx: Db, agentId: string): Promise<void> {
    await this.#domain.forgetting.leaveTools(trx, agentId);
  }

  forget(): void {
    this.#domain.forgetting.wake();
  }

  async follow(accountId: string): Promise<void> {
    await this.#readers.follow(accountId);
  }

  dismiss(agentId: string): void {
    this.#lanes.interruptAgent(agentId, new TurnEnded('agent_gone'));
  }

  async leave(accountId: string): Promise<void> {
    const { store } = this.#domain;
    for (const { agentId } of await listInlineAgents(store.db, accountId)) {
      await store.db.transaction().execute(async (trx) => {
        await this.leaveConversations(trx, agentId);
        await this.leaveTools(trx, agentId);
      });
      this.dismiss(agentId);
    }
    this.#readers.leave(accountId);
  }

  /** Begins no more turns and lets those under way end for up to `deadlineMs`. The next start resumes the others. */
  async close(deadlineMs: number): Promise<void> {
    await this.#readers.close();
    await this.#lanes.close(deadlineMs, new TurnEnded('closing'));
    await this.#domain.forgetting.close();
  }

  #claimed(lane: ClaimedLane): void {
    this.#lanes.offer(lane, this.#delayOf(lane), lane.pauseMs);
  }

  /** More may arrive: of somebody who writes, or who has not said all yet. */
  #delayOf({ eventType, lane }: ClaimedLane): number {
    if (eventType === 'dm_chat') return BURST_MS;
    const isSaid = eventType === 'call_transcript' && this.#domain.voices.find(lane)?.isListening === true;
    return isSaid ? MOST_TURN_MS : 0;
  }

  #run(place: BusyLane, signal: AbortSignal): Promise<boolean> {
    return onBehalfOf(place.accountId, async () => await this.#inTurn(place, signal));
  }

  async #inTurn(place: BusyLane, signal: AbortSignal): Promise<boolean> {
    const release = await this.#domain.turns.take(place.accountId, SLOT_WAIT_MS);
    if (release === null) return await this.#skip(place);
    try {
      await this.#beginnings.enter();
      return await runTurn(this.#domain, place, signal);
    } finally {
      release();
      this.#domain.turnEnded(place.accountId);
    }
  }

  async #skip(place: BusyLane): Promise<boolean> {
    const { store, clock, observer } = this.#domain;
    observer.queueFull('model_turns');
    try {
      await failQueued(store.db, place, TOO_BUSY, clock.nowIso());
    } catch (error) {
      observer.workFailed('a delivery', error);
    }
    this.#domain.turnEnded(place.accountId);
    return false;
  }

  /** Stores what the caller heard of the model's words, so that the model remembers only that. */
  async #heard({ turnId, heard }: Interruption): Promise<void> {
    const reply = { deliveryId: turnId, role: 'assistant' } as const;
    await changeRows(this.#domain.store.db, 'modelTurns', reply, { text: heard || NOTHING_HEARD });
  }

  /** Stores how long the caller waited for a reply. */
  async #measured(id: string, metrics: TurnMetrics): Promise<void> {
    await changeRows(this.#domain.store.db, 'deliveries', { id }, { turnMetrics: metrics });
  }

  #later(what: string, work: Promise<void>): void {
    work.catch((error: unknown) => this.#domain.observer.workFailed(what, error));
  }
}
