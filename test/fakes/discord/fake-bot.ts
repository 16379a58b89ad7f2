import { randomBytes } from 'node:crypto';
import { ApplicationFlags, GatewayIntentBits } from 'discord-api-types/v10';
import type { FakeUser } from './world/user.ts';

/** Intents that the portal must have granted. */
export type PrivilegedIntent = 'messageContent' | 'guildMembers' | 'presences';

const PRIVILEGED: Readonly<Record<PrivilegedIntent, { readonly intent: number; readonly flag: number }>> = {
  messageContent: {
    intent: GatewayIntentBits.MessageContent,
    flag: ApplicationFlags.GatewayMessageContentLimited,
  },
  guildMembers: {
    intent: GatewayIntentBits.GuildMembers,
    flag: ApplicationFlags.GatewayGuildMembersLimited,
  },
  presences: {
    intent: GatewayIntentBits.GuildPresences,
    flag: ApplicationFlags.GatewayPresenceLimited,
  },
};

const IDENTIFIES_A_DAY = 1_000;
const DAY_MS = 24 * 3_600_000;

/** An application with its bot. */
export class FakeBot {
  readonly user: FakeUser;
  readonly applicationId: string;
  readonly owner: FakeUser;
  readonly clientSecret = randomBytes(24).toString('base64url');
  readonly redirectUris = new Set<string>();
  /** Switched on in the portal. */
  readonly granted: Set<PrivilegedIntent>;
  /** Whether others than its owner may install it. */
  isPublic = true;
  token: string;
  /** Whether its token is dead: it was reset, or found in public. */
  isRevoked = false;
  /** Those who have installed it for themselves, by id. */
  readonly installedBy = new Set<string>();
  /** Connections that may be identified at the same time. */
  maxConcurrency = 1;
  /** Identifies that are left until `resetAtMs`. */
  identifiesLeft = IDENTIFIES_A_DAY;
  /** 0: none was counted yet. */
  #resetAtMs = 0;

  constructor(user: FakeUser, applicationId: string, owner: FakeUser, granted: readonly PrivilegedIntent[]) {
    this.user = user;
    this.applicationId = applicationId;
    this.owner = owner;
    this.granted = new Set(granted);
    this.token = newToken(user.id);
  }

  get id(): string {
    return this.user.id;
  }

  /** As `/applications/@me` tells it. */
  get applicationFlags(): number {
    return [...this.granted].reduce((flags, name) => flags | PRIVILEGED[name].flag, 0);
  }

  /** The privileged intents that it may use. */
  get grantedIntents(): number {
    return [...this.granted].reduce((intents, name) => intents | PRIVILEGED[name].intent, 0);
  }

  /** Whether one of the given intents has to be granted first. */
  lacks(intents: number): boolean {
    return Object.entries(PRIVILEGED).some(
      ([name, { intent }]) => (intents & intent) !== 0 && !this.granted.has(name as PrivilegedIntent),
    );
  }

  /** `session_start_limit` of `/gateway/bot`. */
  sessionStartLimit(nowMs: number) {
    this.#renew(nowMs);
    return {
      total: IDENTIFIES_A_DAY,
      remaining: this.identifiesLeft,
      reset_after: this.#resetAtMs - nowMs,
      max_concurrency: this.maxConcurrency,
    };
  }

  /** Counts an Identify. Without any left, Discord resets the token. */
  countIdentify(nowMs: number): void {
    this.#renew(nowMs);
    if (this.identifiesLeft === 0) this.isRevoked = true;
    else this.identifiesLeft -= 1;
  }

  /** The owner makes a new token in the portal; the old one is dead. */
  resetToken(): string {
    this.token = newToken(this.user.id);
    this.isRevoked = false;
    return this.token;
  }

  #renew(nowMs: number): void {
    if (nowMs < this.#resetAtMs) return;
    if (this.#resetAtMs > 0) this.identifiesLeft = IDENTIFIES_A_DAY;
    this.#resetAtMs = nowMs + DAY_MS;
  }
}

/** The id of the bot in base64, a time, and a signature. */
function newToken(id: string): string {
  const owner = Buffer.from(id).toString('base64url');
  return `${owner}.${randomBytes(4).toString('base64url').slice(0, 6)}.${randomBytes(28).toString('base64url')}`;
}
