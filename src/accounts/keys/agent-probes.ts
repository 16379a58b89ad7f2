import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { type Clock, isoAfter } from '../../base/time.ts';
import type { Db } from '../../store/database/rows.ts';
import { listKeys, type ValidKey } from '../../store/keys/keys.ts';

/** Specification, "Limits": test-agent probe. */
const DEADLINE_MS = 30_000;
/** A key used within this time is taken to belong to a running agent. */
const RECENT_MS = 10 * 60_000;
/** Probes that were started longer ago than this are dropped when the next one starts. */
const FORGET_MS = 10 * 60_000;

/** The result of a probe for the agent behind a key. */
export type ProbeVerdict =
  /** It answered the probe: the loop works end to end. */
  | 'replied'
  /** It has a connection open and did not answer. */
  | 'connected_but_silent'
  /** It polls: no connection is open. */
  | 'key_used_recently'
  | 'not_connected';

/** How probes are sent, and signs of activity of the agent behind a key. */
interface AgentProbesDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Sends a probe's message to agents of an account. */
  readonly send: (accountId: string, agentIds: readonly string[], probeId: string) => Promise<void>;
  /** Number of open WebSockets of the key, both call and inbox streams. */
  openStreams(keyId: string): number;
  /** Keys of clients that listen to the MCP server or wait for its response. */
  mcpKeys(): ReadonlySet<string>;
  /** When the key first answered the probe; null: not yet. */
  repliedAt(keyId: string, probeId: string): string | null;
}

/** The shown fields of a key that an external agent may hold. Internal bearers are excluded. */
type OutsideKey = Pick<ValidKey, 'id' | 'keyPrefix' | 'name' | 'lastUsedAt'>;

/** A key in a probe. `verdict` is null while the key may still answer. */
export interface WatchedKey extends OutsideKey {
  readonly replied: boolean;
  readonly openStreams: number;
  readonly isInMcp: boolean;
  readonly verdict: ProbeVerdict | null;
}

export interface ProbeStatus {
  readonly probeId: string;
  readonly startedAt: string;
  readonly deadlineAt: string;
  /** All keys have answered, or the deadline has passed. */
  readonly isDone: boolean;
  readonly keys: readonly WatchedKey[];
}

interface Probe {
  readonly id: string;
  readonly startedAt: string;
  readonly startedMs: number;
  readonly keyIds: ReadonlySet<string>;
}

/**
 * Tests whether agents respond, with a message that they must answer. Keeps the latest probe of each account, in
 * memory.
 */
export class AgentProbes {
  readonly #deps: AgentProbesDeps;
  readonly #byAccount = new Map<string, Probe>();

  constructor(deps: AgentProbesDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a probe: sends a message to the agents of the given keys, or of all agent keys of the account (null), and
   * watches which keys answer.
   */
  async start(accountId: string, keyIds: readonly string[] | null): Promise<ProbeStatus> {
    const { db, clock, send } = this.#deps;
    const keys = await listKeys(db, accountId, 'agent');
    const watched = keys.filter(({ id }) => keyIds === null || keyIds.includes(id));
    this.#forgetOld();
    const probe = {
      id: newId('prb'),
      startedAt: clock.nowIso(),
      startedMs: clock.monotonicMs(),
      keyIds: new Set(watched.map(({ id }) => id)),
    };
    await send(accountId, [...new Set(watched.flatMap(({ agentIds }) => agentIds))], probe.id);
    this.#byAccount.set(accountId, probe);
    return await this.status(accountId);
  }

  /**
   * Returns the state of the account's latest probe. Leaves out keys that were revoked meanwhile. Throws
   * `probe_not_found`.
   */
  async status(accountId: string): Promise<ProbeStatus> {
    const probe = this.#byAccount.get(accountId);
    if (!probe) throw new GatewayError('probe_not_found');
    const keys = await listKeys(this.#deps.db, accountId, 'agent');
    const mcpKeys = this.#deps.mcpKeys();
    const seen = keys.filter(({ id }) => probe.keyIds.has(id)).map((key) => this.#look(probe, key, mcpKeys));
    const isDone = this.#isLate(probe) || seen.every(({ replied }) => replied);
    return {
      probeId: probe.id,
      startedAt: probe.startedAt,
      deadlineAt: isoAfter(probe.startedAt, DEADLINE_MS),
      isDone,
      keys: seen.map((key) => ({ ...key, verdict: key.replied || isDone ? this.#judge(key) : null })),
    };
  }

  #look(probe: Probe, key: OutsideKey, mcpKeys: ReadonlySet<string>): Omit<WatchedKey, 'verdict'> {
    const { id, keyPrefix, name, lastUsedAt } = key;
    const repliedAt = this.#deps.repliedAt(id, probe.id);
    const replied = repliedAt !== null && repliedAt < isoAfter(probe.startedAt, DEADLINE_MS);
    const openStreams = this.#deps.openStreams(id);
    return { id, keyPrefix, name, lastUsedAt, replied, openStreams, isInMcp: mcpKeys.has(id) };
  }

  #judge({ replied, openStreams, isInMcp, lastUsedAt }: Omit<WatchedKey, 'verdict'>): ProbeVerdict {
    if (replied) return 'replied';
    if (openStreams > 0 || isInMcp) return 'connected_but_silent';
    const isRecent = lastUsedAt !== null && isoAfter(lastUsedAt, RECENT_MS) > this.#deps.clock.nowIso();
    return isRecent ? 'key_used_recently' : 'not_connected';
  }

  #isLate({ startedMs }: Probe): boolean {
    return this.#deps.clock.monotonicMs() - startedMs >= DEADLINE_MS;
  }

  #forgetOld(): void {
    const before = this.#deps.clock.monotonicMs() - FORGET_MS;
    for (const [accountId, { startedMs }] of this.#byAccount) {
      if (startedMs < before) this.#byAccount.delete(accountId);
    }
  }
}
