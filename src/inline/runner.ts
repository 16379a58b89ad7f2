import type { Wakeups } from '../messaging/inbox/wakeups.ts';
import { type BusyLane, failQueued, listBusyLanes } from '../store/inline/delivery-turns.ts';
import type { ClaimedLane } from './feed/claim-events.ts';
import { FeedReaders } from './feed/feed-readers.ts';
import { TOO_BUSY } from './feed/skipped.ts';
import type { InlineDomain } from './inline-domain.ts';
import { Lanes } from './lanes/lanes.ts';
import { type TurnLimits, TurnSlots } from './lanes/turn-slots.ts';
import { runTurn } from './turn/run-turn.ts';
import { SLOT_WAIT_MS } from './turn/turn-deadlines.ts';
import { TurnEnded } from './turn/turn-faults.ts';

/** People often write several messages in a row. */
const BURST_MS = 1_000;

/** Calls the models of agents for the events of their feeds. */
export class InlineRunner {
  readonly #domain: InlineDomain;
  readonly #slots: TurnSlots;
  readonly #lanes: Lanes;
  readonly #readers: FeedReaders;

  constructor(domain: InlineDomain, wakeups: Wakeups, limits: TurnLimits) {
    this.#domain = domain;
    this.#slots = new TurnSlots(domain.clock, limits);
    this.#lanes = new Lanes(domain.clock, (place, signal) => this.#run(place, signal));
    this.#readers = new FeedReaders(domain, wakeups, (lane) => this.#claimed(lane));
  }

  /** Turns under way, turns that wait for others to end, and lanes with something to do. */
  get load(): { readonly turns: number; readonly waiting: number; readonly lanes: number } {
    return { turns: this.#slots.taken, waiting: this.#slots.waiting, lanes: this.#lanes.size };
  }

  /** Resumes the turns that an earlier process left, then follows the feeds. */
  async start(): Promise<void> {
    for (const lane of await listBusyLanes(this.#domain.store.db)) this.#lanes.offer(lane, 0);
    await this.#readers.start();
  }

  /** Runs a lane with a new delivery. */
  offer(lane: BusyLane): void {
    this.#lanes.offer(lane, 0);
  }

  /** Follows a change of an account's agents or their providers. */
  async follow(accountId: string): Promise<void> {
    await this.#readers.follow(accountId);
  }

  /** Ends the turns of an agent that was deleted or has lost its provider. */
  dismiss(agentId: string): void {
    this.#lanes.interruptAgent(agentId, new TurnEnded('agent_gone'));
  }

  /** Begins no more turns and lets those under way end for up to `deadlineMs`. The next start resumes the others. */
  async close(deadlineMs: number): Promise<void> {
    await this.#readers.close();
    await this.#lanes.close(deadlineMs, new TurnEnded('closing'));
    await this.#domain.forgetting.close(deadlineMs);
  }

  #claimed(lane: ClaimedLane): void {
    this.#lanes.offer(lane, lane.eventType === 'dm_chat' ? BURST_MS : 0);
  }

  async #run(place: BusyLane, signal: AbortSignal): Promise<boolean> {
    const release = await this.#slots.take(place.accountId, SLOT_WAIT_MS);
    if (release === null) return await this.#skip(place);
    try {
      return await runTurn(this.#domain, place, signal);
    } finally {
      release();
    }
  }

  async #skip(place: BusyLane): Promise<boolean> {
    const { store, clock, observer } = this.#domain;
    observer.queueFull('inline_turns');
    try {
      await failQueued(store.db, place, TOO_BUSY, clock.nowIso());
    } catch (error) {
      observer.workFailed('a delivery', error);
    }
    return false;
  }
}
