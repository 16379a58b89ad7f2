import { SHARED_LOGIN } from '../../base/address.ts';
import { match } from '../../base/match.ts';
import {
  PHONE_PLATFORM,
  PLATFORMS,
  type Platform,
  type PlatformTable,
  type PlatformTraits,
  unservedText,
} from '../../base/platform.ts';
import { type AgentScope, reaches } from '../../base/scope.ts';
import type { LoginState } from '../../connectors/contract/login.ts';
import type { Registration } from '../../connectors/contract/sip-accounts.ts';
import { type Db, listRows } from '../../store/database/rows.ts';
import { listPlatformAccounts, type PlatformAccount } from '../../store/logins/platform-accounts.ts';
import { findTrunk, type StoredTrunk } from '../../store/logins/sip-trunks.ts';
import type { AccountDomain } from '../account/account-domain.ts';

/** Shown to callers without access to the platform. */
const NOT_GRANTED = { status: 'not_granted', logins: [], identity: null } as const;

/** The state of a platform for an account. */
export interface PlatformStatus {
  readonly platform: Platform;
  readonly traits: PlatformTraits;
  /** `ok`, `not_configured`, `not_granted`, or a description of the problem. */
  readonly status: string;
  readonly logins: readonly PlatformAccount[];
  /** Names of the agent and its operator on the platform; null without a login. */
  readonly identity: Identity | null;
}

export interface Identity {
  readonly agent: string | null;
  readonly operator: string | null;
}

/** The scope of a status query: an account, or some of its agents and platforms. */
export interface Viewer extends Pick<AgentScope, 'accountId' | 'platforms'> {
  /** Null: all agents. */
  readonly agentIds: readonly string[] | null;
}

/** An account's stored logins. */
export interface StoredLogins {
  readonly logins: readonly PlatformAccount[];
  readonly trunk: NamedTrunk | null;
}

/** The trunk without its password, which is never shown. */
type NamedTrunk = Pick<StoredTrunk, 'callerId' | 'username'>;

/** The state of an account's logins that is not in the database. Plain data, so that it can be compared. */
export interface LiveLogins {
  /** The registration of the account's trunk, if it has one. */
  readonly registration: Pick<Registration, 'state' | 'lastError'>;
  /** The shared login at each platform that has a connector; null where it has none. */
  readonly served: Partial<Record<Platform, LoginState | null>>;
}

/** Returns the status of every platform, in the specification's order. */
export async function platformStatuses(domain: AccountDomain, viewer: Viewer): Promise<PlatformStatus[]> {
  const stored = await readLogins(domain, viewer);
  return statusesOf(domain.traits, liveLogins(domain, viewer.accountId), viewer, stored);
}

export async function readLogins(
  { store: { db, secrets } }: AccountDomain,
  viewer: Viewer,
): Promise<StoredLogins> {
  const logins = await loginsOf(db, viewer);
  const trunk = await findTrunk(db, secrets, viewer.accountId);
  if (!trunk) return { logins, trunk: null };
  const { callerId, username } = trunk;
  return { logins, trunk: { callerId, username } };
}

/** Returns the current state of the account's logins, as reported by the connectors. */
export function liveLogins({ calls, directory }: AccountDomain, accountId: string): LiveLogins {
  const { state, lastError } = directory.registration(accountId);
  const served: LiveLogins['served'] = {};
  for (const [platform, { provides }] of calls.connectors)
    served[platform] = provides.sharedLogin?.sharedLogin() ?? null;
  return { registration: { state, lastError }, served };
}

/** Combines stored logins and their live state into the status of every platform. */
export function statusesOf(
  table: PlatformTable,
  live: LiveLogins,
  viewer: Viewer,
  { logins, trunk }: StoredLogins,
): PlatformStatus[] {
  return PLATFORMS.map((platform) => {
    const traits = table[platform];
    if (!reaches(viewer, platform)) return { platform, traits, ...NOT_GRANTED };
    const own = logins.filter((login) => platformOf(login) === platform);
    return platform === PHONE_PLATFORM
      ? { platform, traits, logins: own, ...ofTrunk(live, trunk, own) }
      : { platform, traits, logins: own, ...ofLogins(live, platform, own) };
  });
}

/** Whether the account has a login at a platform, even one without a connector. */
export async function hasLogin(db: Db, accountId: string, platform: Platform): Promise<boolean> {
  return (await listPlatformAccounts(db, accountId)).some((login) => platformOf(login) === platform);
}

async function loginsOf(db: Db, { accountId, agentIds }: Viewer): Promise<PlatformAccount[]> {
  const logins = await listPlatformAccounts(db, accountId);
  if (agentIds === null) return logins;
  const members = await listRows(db, 'agentAccounts', { agentId: agentIds });
  return logins.filter(({ type, id }) =>
    members.some(({ memberType, memberId }) => memberType === type && memberId === id),
  );
}

function platformOf(login: PlatformAccount): Platform {
  return match(login, 'type', {
    connection: (login) => login.provider as Platform,
    bot_token: (login) => login.platform,
    sip_number: () => PHONE_PLATFORM,
  });
}

type Told = Pick<PlatformStatus, 'status' | 'identity'>;

/** Returns the status of the phone. All agents share the trunk; numbers belong to agents. */
function ofTrunk(
  { registration: { state, lastError } }: LiveLogins,
  trunk: NamedTrunk | null,
  logins: readonly PlatformAccount[],
): Told {
  if (!trunk) return { status: 'not_configured', identity: null };
  const numbers = logins.flatMap((login) => (login.type === 'sip_number' ? [login.number] : []));
  return {
    status: state === 'failed' ? (lastError ?? 'Registration failed') : 'ok',
    identity: { agent: trunk.callerId ?? numbers[0] ?? trunk.username, operator: null },
  };
}

/** Returns the status of any other platform: `ok` if at least one login works. */
function ofLogins({ served }: LiveLogins, platform: Platform, logins: readonly PlatformAccount[]): Told {
  const shared = served[platform] ?? null;
  const known = logins.map((login) => ({ login, status: statusOf(login, shared) }));
  const best = known.find(({ status }) => status === 'ok') ?? known[0];
  if (!best) return { status: 'not_configured', identity: null };
  return {
    status: platform in served ? best.status : unservedText(platform),
    identity: identityOf(best.login, shared),
  };
}

/** Returns a login's status. A connection over the shared login has the status of that login. */
function statusOf(login: PlatformAccount, shared: LoginState | null): string {
  const isShared = login.type === 'connection' && login.loginKey === SHARED_LOGIN;
  if (!isShared || login.status !== 'ok') return login.status;
  return shared?.status ?? 'The gateway no longer has a shared login on this platform';
}

function identityOf(login: PlatformAccount, shared: LoginState | null): Identity {
  return match(login, 'type', {
    bot_token: (login) => ({ agent: login.botName, operator: login.ownerName }),
    connection: (login) => ({
      // A connection of its own acts as the account of the platform that it was made with.
      agent: login.loginKey === SHARED_LOGIN ? (shared?.name ?? null) : login.label,
      operator: login.email ?? login.label,
    }),
    sip_number: () => ({ agent: null, operator: null }),
  });
}
