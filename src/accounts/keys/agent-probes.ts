import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { type Clock, isoAfter } from '../../base/time.ts';
import type { Db } from '../../store/database/tables.ts';
import { listKeys, type ValidKey } from '../../store/keys/keys.ts';

/** Specification, "Limits": test-agent probe. */
const DEADLINE_MS = 30_000;
/** A key that was used so lately is held by something that runs. */
const RECENT_MS = 10 * 60_000;
/** What nobody has asked about for so long is forgotten when somebody starts another. */
const FORGET_MS = 10 * 60_000;

/** How an agent behind a key was found. */
export type ProbeVerdict =
  /** It answered: the loop works from end to end. */
  | 'replied'
  /** It holds a connection open and answered nothing. */
  | 'connected_but_silent'
  /** It asks and goes: no connection is open. */
  | 'key_used_recently'
  | 'not_connected';

/** What can be seen of whoever holds a key. */
export interface AgentSignals {
  /** WebSockets that are open with the key now, of calls and of the inbox. */
  openStreams(keyId: string): number;
  /** Keys of those who listen to the MCP server now, or wait for an answer of it. */
  mcpKeys(): ReadonlySet<string>;
  /** When the key first answered the probe; null: it has not. */
  repliedAt(keyId: string, probeId: string): string | null;
}

/** Sends agents of an account the message of a probe. */
export type SendProbe = (accountId: string, agentIds: readonly string[], probeId: string) => Promise<void>;

/** What is told of a key that an agent outside may hold; internal bearers are none. */
type OutsideKey = Pick<ValidKey, 'id' | 'keyPrefix' | 'name' | 'lastUsedAt'>;

/** A key that a probe watches; `verdict` is null while it may still reply. */
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
  /** All have replied, or the time is up. */
  readonly isDone: boolean;
  readonly keys: readonly WatchedKey[];
}

interface Probe {
  readonly id: string;
  readonly startedAt: string;
  readonly startedMs: number;
  readonly keyIds: ReadonlySet<string>;
}

/** Tests whether agents are there, by a message that they answer: one probe an account, in memory, the latest. */
export class AgentProbes {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #signals: AgentSignals;
  readonly #send: SendProbe;
  readonly #byAccount = new Map<string, Probe>();

  constructor(db: Db, clock: Clock, signals: AgentSignals, send: SendProbe) {
    this.#db = db;
    this.#clock = clock;
    this.#signals = signals;
    this.#send = send;
  }

  /** Writes to the agents of the account's agent keys, or of those that are named, and watches which keys answer. */
  async start(accountId: string, keyIds: readonly string[] | null): Promise<ProbeStatus> {
    const keys = await listKeys(this.#db, accountId, 'agent');
    const watched = keys.filter(({ id }) => keyIds === null || keyIds.includes(id));
    this.#forgetOld();
    const probe = {
      id: newId('prb'),
      startedAt: this.#clock.nowIso(),
      startedMs: this.#clock.monotonicMs(),
      keyIds: new Set(watched.map(({ id }) => id)),
    };
    await this.#send(accountId, [...new Set(watched.flatMap(({ agentIds }) => agentIds))], probe.id);
    this.#byAccount.set(accountId, probe);
    return await this.status(accountId);
  }

  /** How the account's latest probe goes; keys that were revoked meanwhile are left out. Throws `probe_not_found`. */
  async status(accountId: string): Promise<ProbeStatus> {
    const probe = this.#byAccount.get(accountId);
    if (!probe) throw new GatewayError('probe_not_found');
    const keys = await listKeys(this.#db, accountId, 'agent');
    const mcpKeys = this.#signals.mcpKeys();
    const watched = keys.filter(({ id }) => probe.keyIds.has(id));
    const seen = watched.map((key) => this.#look(probe, key, mcpKeys));
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
    const repliedAt = this.#signals.repliedAt(id, probe.id);
    const replied = repliedAt !== null && repliedAt < isoAfter(probe.startedAt, DEADLINE_MS);
    const openStreams = this.#signals.openStreams(id);
    return { id, keyPrefix, name, lastUsedAt, replied, openStreams, isInMcp: mcpKeys.has(id) };
  }

  #judge({ replied, openStreams, isInMcp, lastUsedAt }: Omit<WatchedKey, 'verdict'>): ProbeVerdict {
    if (replied) return 'replied';
    if (openStreams > 0 || isInMcp) return 'connected_but_silent';
    const isRecent = lastUsedAt !== null && isoAfter(lastUsedAt, RECENT_MS) > this.#clock.nowIso();
    return isRecent ? 'key_used_recently' : 'not_connected';
  }

  #isLate({ startedMs }: Probe): boolean {
    return this.#clock.monotonicMs() - startedMs >= DEADLINE_MS;
  }

  #forgetOld(): void {
    const before = this.#clock.monotonicMs() - FORGET_MS;
    for (const [accountId, { startedMs }] of this.#byAccount) {
      if (startedMs < before) this.#byAccount.delete(accountId);
    }
  }
}
