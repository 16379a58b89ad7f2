import { GatewayError } from '../../base/errors.ts';
import { KeyedQueue } from '../../base/keyed-queue.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Platform } from '../../base/platform.ts';
import { answeredWithin, type Clock, isoAfter } from '../../base/time.ts';
import type { ConnectsByOAuth } from '../../connectors/contract/oauth.ts';
import {
  findLoginConnection,
  type LoginConnection,
  openTokens,
  replaceTokens,
  type StoredTokens,
  sealTokens,
} from '../../store/logins/login-connections.ts';
import type { ConnectionDeps } from './connection-deps.ts';
import { keepStatus } from './connection-status.ts';
import {
  askForTokens,
  isGrantOver,
  REQUEST_DEADLINE_MS,
  revokeTokens,
  type TokenAnswer,
} from './token-endpoint.ts';

/** A token is refreshed this long before it expires, but not before half of its lifetime has passed. */
const MARGIN_MS = 60_000;
/** A token that is refused this soon after its refresh would be refused again after the next one. */
const REFUSED_AGAIN_MS = 60_000;
/** Deadline for a token: a request to the platform, and the time to store its answer. */
const WAIT_MS = REQUEST_DEADLINE_MS + 5_000;
/** The 10,000 connections used last are always kept. */
const MAX_HELD = 20_000;

const NO_REFRESH_TOKEN = 'The access token is over, and the platform issued none to refresh it';
const REFUSED_AGAIN = 'The platform refuses the access token';
const ANSWER_LOST = "The platform's answer with new tokens was lost; connect again";
const LOST = 'The tokens of this connection are lost';

/** An access token in memory. Times are monotonic, so that changes of the clock do not matter to it. */
interface Held {
  readonly accessToken: string;
  readonly freshUntilMs: number;
  /** Null: it was read from the database. */
  readonly refreshedMs: number | null;
}

/**
 * The access tokens of one platform's connections, in memory and, sealed, in the database. Requests about a connection
 * run one after the other, so a token is refreshed once for all who wait for it. New tokens are stored before anyone
 * gets them, because most platforms void a refresh token when it is used.
 */
export class AccessTokens {
  readonly #deps: ConnectionDeps;
  readonly #platform: Platform;
  readonly #oauth: ConnectsByOAuth;
  readonly #backOff: PlatformBackOff;
  readonly #held = new LimitedMap<Held>(MAX_HELD);
  /** Refreshed tokens that could not be stored yet, because the disk is full. */
  readonly #unstored = new LimitedMap<() => Promise<boolean>>(MAX_HELD);
  /** The requests about each connection. */
  readonly #queue = new KeyedQueue();
  #isClosing = false;

  constructor(deps: ConnectionDeps, platform: Platform, oauth: ConnectsByOAuth) {
    this.#deps = deps;
    this.#platform = platform;
    this.#oauth = oauth;
    this.#backOff = new PlatformBackOff(deps.clock);
  }

  /** As in ConnectionTokens of the contract. */
  async accessToken(connectionId: string): Promise<string> {
    return this.#fresh(connectionId) ?? (await this.#inTurn(connectionId, null));
  }

  /** As in ConnectionTokens of the contract. */
  async refused(connectionId: string, token: string): Promise<string> {
    return await this.#inTurn(connectionId, token);
  }

  /**
   * Forgets what is in memory, after the connection was renewed or deleted: now, and again once the request under way
   * is over.
   */
  forget(connectionId: string): void {
    this.#drop(connectionId);
    if (this.#queue.has(connectionId))
      void this.#queue.run(connectionId, async () => this.#drop(connectionId));
  }

  /**
   * Repeats refreshes whose answers were lost, one after the other: some platforms accept the former refresh token for a
   * while. What becomes of them is stored and reported.
   */
  async recover(connectionIds: readonly string[]): Promise<void> {
    for (const id of connectionIds) {
      if (this.#isClosing) return;
      await this.accessToken(id).catch(() => undefined);
    }
  }

  /** Resolves when no request is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    while (this.#queue.size > 0) await this.#queue.settled();
  }

  /** Whoever waits gives up after a while. The request under way goes on, and what it brings is stored. */
  async #inTurn(connectionId: string, refused: string | null): Promise<string> {
    return await answeredWithin(this.#deps.clock, WAIT_MS, tooLate, () =>
      this.#queue.run(connectionId, () => this.#valid(connectionId, refused)),
    );
  }

  #drop(connectionId: string): void {
    this.#held.delete(connectionId);
    this.#unstored.delete(connectionId);
    this.#backOff.succeeded(connectionId);
  }

  #fresh(connectionId: string): string | null {
    const held = this.#held.get(connectionId);
    return held && held.freshUntilMs > this.#deps.clock.monotonicMs() ? held.accessToken : null;
  }

  /** Returns a valid token other than `refused`. */
  async #valid(connectionId: string, refused: string | null): Promise<string> {
    const held = this.#fresh(connectionId);
    if (held !== null && held !== refused) return held;
    const { store, clock } = this.#deps;
    await this.#unstored.get(connectionId)?.();
    const row = await findLoginConnection(store.db, this.#platform, connectionId);
    if (!row) throw new GatewayError('connection_not_found');
    const tokens = openTokens(store.secrets, row);
    if (tokens === null) throw new GatewayError('connection_lost', lostText(row));
    const leftMs = row.expiresAt === null ? Infinity : Date.parse(row.expiresAt) - Date.parse(clock.nowIso());
    const isRefused = tokens.accessToken === refused;
    if (!isRefused && leftMs > MARGIN_MS && !tokens.isRefreshing)
      return this.#hold(connectionId, tokens.accessToken, leftMs, null);
    if (isRefused) return await this.#replaceRefused(row, tokens);
    return await this.#refresh(row, tokens, leftMs);
  }

  async #replaceRefused(row: LoginConnection, tokens: StoredTokens): Promise<string> {
    if (tokens.refreshToken === null) return await this.#lose(row, NO_REFRESH_TOKEN);
    if (this.#wasJustRefreshed(row.id, tokens)) return await this.#lose(row, REFUSED_AGAIN);
    return await this.#refresh(row, tokens, 0);
  }

  /** `leftMs`: how long the present token can still be used. */
  async #refresh(row: LoginConnection, tokens: StoredTokens, leftMs: number): Promise<string> {
    const { id } = row;
    // Only the platform can tell that a token is over which cannot be replaced: our clock may be wrong.
    if (tokens.refreshToken === null) return tokens.accessToken;
    const pausedBy = this.#backOff.reason(id);
    if (pausedBy !== null) return stillUsable(tokens, leftMs, pausedBy);
    const marked = await this.#mark(row, tokens);
    if (marked === null) return await this.#valid(id, null);
    const answer = await this.#ask(tokens.refreshToken);
    if (answer.kind === 'granted') return await this.#keep(marked, tokens, answer);
    const { reason } = answer;
    if (answer.kind === 'refused' && isGrantOver(answer.error))
      return await this.#lose(marked, tokens.isRefreshing ? `${ANSWER_LOST} (${reason})` : reason);
    this.#backOff.failed(id, reason);
    this.#deps.onFailure(this.#platform, 'an access token could not be refreshed', reason);
    return stillUsable(tokens, leftMs, reason);
  }

  /**
   * Stores that the platform is being asked, so that a process that ends before it has stored the answer leaves a trace.
   * Null: the connection was deleted or renewed meanwhile.
   */
  async #mark(row: LoginConnection, tokens: StoredTokens): Promise<LoginConnection | null> {
    if (tokens.isRefreshing) return row;
    const { store, clock } = this.#deps;
    const marked: StoredTokens = { ...tokens, isRefreshing: true };
    const sealedCredentials = sealTokens(store.secrets, row.id, marked);
    const { expiresAt } = row;
    const change = { sealedCredentials, expiresAt, updatedAt: clock.nowIso() };
    return (await replaceTokens(store.db, row, change)) ? { ...row, sealedCredentials } : null;
  }

  async #ask(refreshToken: string): Promise<TokenAnswer> {
    const { client } = this.#oauth;
    if (client === null) return failed('The operator of this gateway no longer has this platform set up');
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    return await askForTokens(client, this.#deps.clock, grant);
  }

  /** Stores refreshed tokens and returns the access token. */
  async #keep(
    row: LoginConnection,
    former: StoredTokens,
    { tokens, expiresInS, scope }: Extract<TokenAnswer, { kind: 'granted' }>,
  ): Promise<string> {
    const { store, clock } = this.#deps;
    const { accessToken } = tokens;
    // Platforms that do not rotate refresh tokens leave them out.
    const kept = { accessToken, refreshToken: tokens.refreshToken ?? former.refreshToken };
    const nowIso = clock.nowIso();
    const isStored = await this.#store(row, {
      sealedCredentials: sealTokens(store.secrets, row.id, kept),
      expiresAt: expiryOf(nowIso, expiresInS),
      updatedAt: nowIso,
      ...(scope === null ? {} : { scopes: scope }),
    });
    this.#backOff.succeeded(row.id);
    if (!isStored) return await this.#overtaken(row, kept);
    return this.#hold(
      row.id,
      accessToken,
      expiresInS === null ? Infinity : expiresInS * 1000,
      clock.monotonicMs(),
    );
  }

  /** Stores refreshed tokens. If that fails, they are stored with the next request about the connection. */
  async #store(row: LoginConnection, change: Parameters<typeof replaceTokens>[2]): Promise<boolean> {
    const write = async (): Promise<boolean> => {
      const isStored = await replaceTokens(this.#deps.store.db, row, change);
      this.#unstored.delete(row.id);
      return isStored;
    };
    this.#unstored.set(row.id, write);
    return await write();
  }

  /** The connection was deleted or renewed during the refresh. Its new tokens count; those of the refresh do not. */
  async #overtaken(row: LoginConnection, unused: StoredTokens): Promise<string> {
    const { db } = this.#deps.store;
    const isGone = (await findLoginConnection(db, this.#platform, row.id)) === undefined;
    if (isGone) await revokeTokens(this.#deps, this.#platform, unused);
    return await this.#valid(row.id, null);
  }

  #hold(connectionId: string, accessToken: string, lifetimeMs: number, refreshedMs: number | null): string {
    const marginMs = Math.min(MARGIN_MS, lifetimeMs / 2);
    const freshUntilMs = this.#deps.clock.monotonicMs() + lifetimeMs - marginMs;
    this.#held.set(connectionId, { accessToken, freshUntilMs, refreshedMs });
    return accessToken;
  }

  #wasJustRefreshed(connectionId: string, { accessToken }: StoredTokens): boolean {
    const held = this.#held.get(connectionId);
    if (held?.accessToken !== accessToken || held.refreshedMs === null) return false;
    return this.#deps.clock.monotonicMs() - held.refreshedMs < REFUSED_AGAIN_MS;
  }

  /** Removes tokens that the platform no longer accepts, and tells the owner why. */
  async #lose(row: LoginConnection, reason: string): Promise<string> {
    const { store, clock } = this.#deps;
    const isLost = await replaceTokens(store.db, row, {
      sealedCredentials: sealTokens(store.secrets, row.id, null),
      expiresAt: null,
      updatedAt: clock.nowIso(),
    });
    this.#held.delete(row.id);
    // Its owner has renewed it meanwhile.
    if (!isLost) return await this.#valid(row.id, null);
    await keepStatus(this.#deps, this.#platform, row.id, reason);
    throw new GatewayError('connection_lost', reason);
  }
}

/** When tokens expire, as ISO 8601. Null: never, as far as the platform said. */
export function expiryOf(nowIso: string, expiresInS: number | null): string | null {
  return expiresInS === null ? null : isoAfter(nowIso, expiresInS * 1000);
}

/** Returns the access token while it has not expired. Throws `platform_failed`. */
function stillUsable({ accessToken }: StoredTokens, leftMs: number, reason: string): string {
  if (leftMs > 0) return accessToken;
  throw new GatewayError('platform_failed', reason);
}

function tooLate(): GatewayError {
  return new GatewayError('platform_failed', 'The access token could not be refreshed in time');
}

function failed(reason: string): Extract<TokenAnswer, { kind: 'failed' }> {
  return { kind: 'failed', reason };
}

function lostText({ status }: LoginConnection): string {
  return status === 'ok' ? LOST : status;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

interface Pause {
  readonly untilMs: number;
  readonly lastedMs: number;
  readonly reason: string;
}

/** Pauses between attempts that fail, for each connection: 1 s, then twice as long each time, up to a minute. */
class PlatformBackOff {
  readonly #clock: Clock;
  readonly #pauses = new LimitedMap<Pause>(MAX_HELD);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why the last attempt failed, while the next one has to wait; null when it need not. */
  reason(connectionId: string): string | null {
    const pause = this.#pauses.get(connectionId);
    return pause && pause.untilMs > this.#clock.monotonicMs() ? pause.reason : null;
  }

  failed(connectionId: string, reason: string): void {
    const former = this.#pauses.get(connectionId);
    const lastedMs = former ? Math.min(former.lastedMs * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS;
    this.#pauses.set(connectionId, { untilMs: this.#clock.monotonicMs() + lastedMs, lastedMs, reason });
  }

  succeeded(connectionId: string): void {
    this.#pauses.delete(connectionId);
  }
}
