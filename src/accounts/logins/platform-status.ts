import { unreachable } from '../../base/assert.ts';
import { PLATFORMS, type Platform, unservedText } from '../../base/platform.ts';
import { type AgentScope, reaches } from '../../base/scope.ts';
import { type LoginState, sharesLogin } from '../../connectors/contract/messenger.ts';
import type { Registration } from '../../connectors/contract/sip-accounts.ts';
import { listMembersOf } from '../../store/agents/agents.ts';
import type { Db } from '../../store/database/tables.ts';
import { listPlatformAccounts, type PlatformAccount } from '../../store/logins/platform-accounts.ts';
import { findTrunk, type StoredTrunk } from '../../store/logins/sip-trunks.ts';
import type { AccountDomain } from '../account/account-domain.ts';

/** Connections at the gateway's own login, which all accounts share. */
const SHARED_LOGIN = 'shared';
/** Of whoever may not use it: they do not hear more. */
const NOT_GRANTED = { status: 'not_granted', logins: [], identity: null } as const;

/** A platform as an account finds it. */
export interface PlatformStatus {
  readonly platform: Platform;
  /** `ok`, `not_configured`, `not_granted`, or what is wrong. */
  readonly status: string;
  readonly logins: readonly PlatformAccount[];
  /** How the agent and its human are known there; null where nobody is logged in. */
  readonly identity: Identity | null;
}

export interface Identity {
  readonly agent: string | null;
  readonly operator: string | null;
}

/** Who looks: an account, or only some of its agents and platforms. */
export interface Viewer extends Pick<AgentScope, 'accountId' | 'platforms'> {
  /** Null: all of them. */
  readonly agentIds: readonly string[] | null;
}

/** What an account has for its platforms, as far as it is stored. */
export interface StoredLogins {
  readonly logins: readonly PlatformAccount[];
  readonly trunk: NamedTrunk | null;
}

/** Without its password, which is no part of what is told. */
type NamedTrunk = Pick<StoredTrunk, 'callerId' | 'username'>;

/** What no row of the database tells of an account's logins: plain data, so that it can be compared. */
export interface LiveLogins {
  /** Of the account's trunk, if it has one. */
  readonly registration: Pick<Registration, 'state' | 'lastError'>;
  /** The gateway's own login at each platform that has a connector; null: none that accounts share. */
  readonly served: Partial<Record<Platform, LoginState | null>>;
}

/** Every platform, in the specification's order. */
export async function platformStatuses(domain: AccountDomain, viewer: Viewer): Promise<PlatformStatus[]> {
  const stored = await readLogins(domain, viewer);
  return statusesOf(liveLogins(domain, viewer.accountId), viewer, stored);
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

/** What the platforms say at this moment. */
export function liveLogins({ calls, directory }: AccountDomain, accountId: string): LiveLogins {
  const { state, lastError } = directory.registration(accountId);
  const served: LiveLogins['served'] = {};
  for (const [platform, connector] of calls.connectors)
    served[platform] = sharesLogin(connector) ? connector.sharedLogin() : null;
  return { registration: { state, lastError }, served };
}

/** How an account's logins stand, by what is stored and what is said. */
export function statusesOf(
  live: LiveLogins,
  viewer: Viewer,
  { logins, trunk }: StoredLogins,
): PlatformStatus[] {
  return PLATFORMS.map((platform) => {
    if (!reaches(viewer, platform)) return { platform, ...NOT_GRANTED };
    const own = logins.filter((login) => platformOf(login) === platform);
    return platform === 'sip'
      ? { platform, logins: own, ...ofTrunk(live, trunk, own) }
      : { platform, logins: own, ...ofLogins(live, platform, own) };
  });
}

/** Whether the account has a login at a platform, be there a connector for it or not. */
export async function hasLogin(db: Db, accountId: string, platform: Platform): Promise<boolean> {
  return (await listPlatformAccounts(db, accountId)).some((login) => platformOf(login) === platform);
}

async function loginsOf(db: Db, { accountId, agentIds }: Viewer): Promise<PlatformAccount[]> {
  const logins = await listPlatformAccounts(db, accountId);
  if (agentIds === null) return logins;
  const members = await listMembersOf(db, agentIds);
  return logins.filter((login) => members.some(({ type, id }) => type === login.type && id === login.id));
}

function platformOf(login: PlatformAccount): string {
  switch (login.type) {
    case 'connection':
      return login.provider;
    case 'bot_token':
      return login.platform;
    case 'sip_number':
      return 'sip';
    default:
      return unreachable(login);
  }
}

type Told = Pick<PlatformStatus, 'status' | 'identity'>;

/** A trunk serves all agents; the numbers are theirs. */
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

/** One login that works is enough. */
function ofLogins({ served }: LiveLogins, platform: Platform, logins: readonly PlatformAccount[]): Told {
  const shared = served[platform] ?? null;
  const told = logins.map((login) => ({ login, status: statusOf(login, shared) }));
  const best = told.find(({ status }) => status === 'ok') ?? told[0];
  if (!best) return { status: 'not_configured', identity: null };
  return {
    status: platform in served ? best.status : unservedText(platform),
    identity: identityOf(best.login, shared),
  };
}

/** Who is known by the gateway's own login stands with the platform as that does. */
function statusOf(login: PlatformAccount, shared: LoginState | null): string {
  const isShared = login.type === 'connection' && login.loginKey === SHARED_LOGIN;
  if (!isShared || login.status !== 'ok') return login.status;
  return shared?.status ?? 'The gateway has no login of its own there any more';
}

function identityOf(login: PlatformAccount, shared: LoginState | null): Identity {
  switch (login.type) {
    case 'bot_token':
      return { agent: login.botName, operator: null };
    case 'connection':
      return {
        agent: login.loginKey === SHARED_LOGIN ? (shared?.name ?? null) : null,
        operator: login.email ?? login.label,
      };
    case 'sip_number':
      return { agent: null, operator: null };
    default:
      return unreachable(login);
  }
}
