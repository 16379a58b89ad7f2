import { FairShare } from '../../base/fair-share.ts';
import { newId } from '../../base/ids.ts';
import { type CancelTimer, type Clock, isoAfter, withDeadline } from '../../base/time.ts';
import type { GatewayTools, ModelMemory } from '../../models/model-client.ts';
import { isTemporary, ModelFault } from '../../models/model-fault.ts';
import type { ProviderName } from '../../models/model-provider.ts';
import { toolsDigest } from '../../models/provider-conversation.ts';
import { findProvider } from '../../store/agents/agent-providers.ts';
import { countRows, type Db, deleteRows } from '../../store/database/rows.ts';
import {
  type Forgotten,
  type FormerProvider,
  insertForgotten,
  listDueForgotten,
  nextForgottenDue,
  postponeForgotten,
} from '../../store/inline/forgotten-at-providers.ts';
import { listMemories } from '../../store/inline/model-conversations.ts';
import type { Store } from '../../store/store.ts';
import type { ModelEvents } from '../../telemetry/model-events.ts';
import type { ModelClients } from '../turn/model-clients.ts';

/** Limit of conversations of an agent that are deleted at its provider, the newest ones. */
const MAX_KEPT = 500;
/** Limit of an agent's deletions that wait. What comes beyond stays at the provider. */
const MAX_OF_AGENT = 1_000;
/** Deletions at a time, of all accounts and of one. */
const MAX_AT_ONCE = 20;
const MAX_OF_OWNER = 2;
/** Looked at together; of each account, no more than it may make. */
const MAX_LISTED = 200;
const TURN_WITHIN_MS = 60_000;
const FORGET_MS = 10_000;
/** Six attempts within six hours; by then the settings, which hold a key, are deleted too. */
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 60_000;
const PAUSE_FACTOR = 4;

/** What deletions at providers need. */
interface ForgettingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly clients: ModelClients;
  /** See `InlineDeps`. */
  readonly knownTools: (db: Db, agentId: string) => Promise<GatewayTools | null>;
  readonly observer: Pick<ModelEvents, 'queueFull' | 'workFailed'>;
}

/** What a provider keeps for the gateway: a conversation, or its access to the gateway with one bearer. */
export type Kept = { readonly memory: ModelMemory } | { readonly tools: string };

/**
 * Deletes what providers keep and nobody needs any more: in the background, after a restart too, and as well as it can.
 * Nothing depends on it.
 */
export class Forgetting {
  readonly #deps: ForgettingDeps;
  readonly #closed = new AbortController();
  /** Accounts take turns: a provider that does not answer keeps only those waiting that use it. */
  readonly turns: FairShare;
  readonly #underWay = new Map<string, Promise<void>>();
  #running: Promise<void> | null = null;
  #isWanted = false;
  #cancelWait: CancelTimer = () => {};

  constructor(deps: ForgettingDeps) {
    const { clock } = deps;
    this.#deps = deps;
    const limits = { total: MAX_AT_ONCE, each: MAX_OF_OWNER, mostWaiting: MAX_LISTED };
    this.turns = new FairShare({ clock, ...limits });
  }

  /**
   * Notes something to be deleted with the settings of its provider. Call it in the transaction that forgets it, and
   * `wake` after the commit.
   */
  async add(db: Db, provider: FormerProvider, kept: Kept): Promise<void> {
    const { store, clock } = this.#deps;
    if ((await countRows(db, 'forgottenAtProviders', { agentId: provider.agentId })) >= MAX_OF_AGENT)
      return this.#skipped();
    await insertForgotten(db, store.secrets, provider, { id: newId('fgt'), kept, dueAt: clock.nowIso() });
    this.#isWanted = true;
  }

  /** See `AgentModels.leaveConversations`. */
  async leaveConversations(trx: Db, agentId: string): Promise<number> {
    const memories = await listMemories(trx, agentId, MAX_KEPT);
    const provider = memories.length > 0 && (await findProvider(trx, this.#deps.store.secrets, agentId));
    if (provider) for (const memory of memories) await this.add(trx, provider, { memory });
    return memories.length;
  }

  /** See `AgentModels.leaveTools`. */
  async leaveTools(trx: Db, agentId: string): Promise<void> {
    const tools = await this.#deps.knownTools(trx, agentId);
    const provider = tools && (await findProvider(trx, this.#deps.store.secrets, agentId));
    if (provider) await this.add(trx, provider, { tools: toolsDigest(tools) });
  }

  /** Deletes what is due, also what an earlier process has left. */
  resume(): void {
    this.#isWanted = true;
    this.wake();
  }

  /** Deletes what was noted, if anything was. */
  wake(): void {
    if (!this.#isWanted || this.#running !== null || this.#closed.signal.aborted) return;
    this.#cancelWait();
    this.#running = this.#run()
      .catch((error: unknown) => this.#deps.observer.workFailed('deletions at a provider', error))
      .finally(() => {
        this.#running = null;
        // Something may have been noted since the last look.
        this.wake();
      });
  }

  /** Ends the deletions under way. The next start resumes them. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#cancelWait();
    await this.#running;
    await Promise.all(this.#underWay.values());
  }

  async #run(): Promise<void> {
    const { store, clock } = this.#deps;
    while (this.#isWanted && !this.#closed.signal.aborted) {
      this.#isWanted = false;
      const limits = { each: MAX_OF_OWNER, most: MAX_LISTED };
      const due = await listDueForgotten(store.db, store.secrets, clock.nowIso(), limits);
      for (const forgotten of due) if (!this.#underWay.has(forgotten.id)) this.#begin(forgotten);
    }
    if (this.#underWay.size === 0) await this.#wakeWhenDue();
  }

  /** Each that ends makes room for the next of its account. */
  #begin(forgotten: Forgotten): void {
    const trying = this.#tryInTurn(forgotten)
      .catch((error: unknown) => this.#deps.observer.workFailed('deletions at a provider', error))
      .finally(() => {
        this.#underWay.delete(forgotten.id);
        this.resume();
      });
    this.#underWay.set(forgotten.id, trying);
  }

  async #tryInTurn(forgotten: Forgotten): Promise<void> {
    const leave = await this.turns.take(forgotten.owner, TURN_WITHIN_MS, this.#closed.signal);
    if (leave === null) return;
    await this.#try(forgotten);
    leave();
  }

  async #wakeWhenDue(): Promise<void> {
    const { store, clock } = this.#deps;
    const dueAt = await nextForgottenDue(store.db);
    if (dueAt === null || this.#closed.signal.aborted) return;
    const waitMs = Date.parse(dueAt) - Date.parse(clock.nowIso());
    this.#cancelWait = clock.after(Math.max(0, waitMs), () => this.resume());
  }

  async #try(forgotten: Forgotten): Promise<void> {
    const { store, clock } = this.#deps;
    const { signal } = this.#closed;
    try {
      await withDeadline(clock, FORGET_MS, signal, (limit) => this.#forget(forgotten, limit));
      await deleteRows(store.db, 'forgottenAtProviders', { id: forgotten.id });
    } catch (error) {
      if (!signal.aborted) await this.#failed(forgotten, error);
    }
  }

  async #forget(forgotten: Forgotten, signal: AbortSignal): Promise<void> {
    const { owner, provider, config, secrets } = forgotten;
    const client = this.#deps.clients.make(provider as ProviderName, { accountId: owner, config, secrets });
    const kept = forgotten.kept as Kept;
    if ('memory' in kept) await client.forget(kept.memory, signal);
    else await client.forgetTools?.(kept.tools, signal);
  }

  async #failed(forgotten: Forgotten, error: unknown): Promise<void> {
    const { store, clock } = this.#deps;
    const { id, attempts } = forgotten;
    const isLasting = error instanceof ModelFault && !isTemporary(error);
    if (isLasting || attempts + 1 >= MAX_ATTEMPTS) {
      this.#skipped();
      await deleteRows(store.db, 'forgottenAtProviders', { id });
      return;
    }
    const pauseMs = FIRST_PAUSE_MS * PAUSE_FACTOR ** attempts;
    await postponeForgotten(store.db, forgotten, isoAfter(clock.nowIso(), pauseMs));
  }

  /** Something stays at a provider. */
  #skipped(): void {
    this.#deps.observer.queueFull('forgotten_conversations');
  }
}
