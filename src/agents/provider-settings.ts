import { isDeepStrictEqual } from 'node:util';
import { requireVerifiedAddress } from '../accounts/people/verified-address.ts';
import { GatewayError } from '../base/errors.ts';
import { modelProvider } from '../models/all-providers.ts';
import type { ProviderName } from '../models/model-provider.ts';
import { findProvider, putProvider, type StoredProvider } from '../store/agents/agent-providers.ts';
import { type Db, deleteRows } from '../store/database/rows.ts';
import { dropMemories } from '../store/inline/model-conversations.ts';
import { type Actor, audit } from '../store/people/audit-log.ts';
import { type AgentDomain, requireAgent } from './agent-domain.ts';
import {
  type ConfigChange,
  type ConfigFault,
  mergeConfig,
  shownConfig,
  uselessUrls,
} from './provider-config.ts';

/**
 * The events that an agent's model can be called for (specification, "Inbox and push events") and whether it is, by
 * default: messages, transcripts and ringing calls need an answer; the other events only inform.
 */
export const DEFAULT_EVENT_FILTER = {
  dm_chat: true,
  call_chat: true,
  call_invite: true,
  call_transcript: true,
  call_state: false,
  call_error: false,
  dm_delivered: false,
};

export type EventType = keyof typeof DEFAULT_EVENT_FILTER;
export const EVENT_TYPES = Object.keys(DEFAULT_EVENT_FILTER) as EventType[];

/** A change of an agent's provider. Fields left out keep their value. */
export interface ProviderChange {
  /** Null removes the provider with all its settings. */
  readonly provider: ProviderName | null | undefined;
  readonly config: ConfigChange | undefined;
  readonly systemPrompt: string | null | undefined;
  readonly greeting: string | null | undefined;
  readonly liveReplies: boolean | undefined;
  readonly eventFilter: { readonly [type in EventType]?: boolean | undefined } | undefined;
}

/** An agent's provider without its secrets. */
export interface ProviderView {
  readonly agentId: string;
  readonly provider: string | null;
  readonly config: Readonly<Record<string, string>>;
  /** Names of the stored secrets. */
  readonly secretsSet: readonly string[];
  readonly systemPrompt: string | null;
  /** Spoken when a call is answered, without the model. */
  readonly greeting: string | null;
  /** People see replies while the model writes them, where the platform can. */
  readonly liveReplies: boolean;
  readonly eventFilter: Readonly<Record<EventType, boolean>>;
  readonly updatedAt: string | null;
}

export type ProviderOutcome = ProviderView | { readonly faults: readonly ConfigFault[] };

/** Returns an agent's provider. Throws `agent_not_found`. */
export async function getProvider(
  { store }: AgentDomain,
  accountId: string,
  agentId: string,
): Promise<ProviderView> {
  await requireAgent(store.db, accountId, agentId);
  return viewOf(agentId, await findProvider(store.db, store.secrets, agentId));
}

/**
 * Sets an agent's provider, or merges the change into the current one. A different provider starts without the former
 * one's fields, since a key is for one provider only. Returns the faults when fields are invalid. Throws
 * `agent_not_found`, `email_not_verified`, `no_provider`.
 */
export async function changeProvider(
  domain: AgentDomain,
  actor: Actor,
  agentId: string,
  change: ProviderChange,
): Promise<ProviderOutcome> {
  const faults = await urlFaults(domain, actor, agentId, change);
  if (faults.length > 0) return { faults };
  const outcome = await domain.store.db.transaction().execute(async (trx) => {
    await requireAgent(trx, actor.accountId, agentId);
    await requireVerifiedAddress(trx, actor.accountId);
    return change.provider === null
      ? await removeProvider(domain, trx, actor, agentId)
      : await mergeIntoStored(domain, trx, actor, { agentId, change });
  });
  domain.models.forget();
  if (!('faults' in outcome)) await domain.models.follow(actor.accountId, agentId);
  return outcome;
}

/** Looks names up, so it comes before the transaction. */
async function urlFaults(
  { store, mayConnect }: AgentDomain,
  { accountId }: Actor,
  agentId: string,
  { provider, config = {} }: ProviderChange,
): Promise<ConfigFault[]> {
  await requireAgent(store.db, accountId, agentId);
  await requireVerifiedAddress(store.db, accountId);
  const former = provider === undefined ? await findProvider(store.db, store.secrets, agentId) : undefined;
  const name = provider ?? (former?.provider as ProviderName | undefined);
  return name === undefined ? [] : await uselessUrls(modelProvider(name), config, mayConnect);
}

async function mergeIntoStored(
  domain: AgentDomain,
  trx: Db,
  actor: Actor,
  { agentId, change }: { readonly agentId: string; readonly change: ProviderChange },
): Promise<ProviderOutcome> {
  const { secrets } = domain.store;
  const former = await findProvider(trx, secrets, agentId);
  const next = mergeProvider(agentId, former, change, domain.clock.nowIso());
  if ('faults' in next) return next;
  if (former && !isSameConfig(former, next)) await leaveProvider(domain, trx, agentId);
  await putProvider(trx, secrets, next);
  await audit(trx, actor, {
    action: 'provider.change',
    subject: agentId,
    detail: changedNames(next, change),
  });
  return viewOf(agentId, next);
}

async function removeProvider(
  domain: AgentDomain,
  trx: Db,
  actor: Actor,
  agentId: string,
): Promise<ProviderOutcome> {
  await leaveProvider(domain, trx, agentId);
  if (await deleteRows(trx, 'agentProviders', { agentId }))
    await audit(trx, actor, { action: 'provider.remove', subject: agentId });
  return viewOf(agentId, undefined);
}

async function leaveProvider({ models }: AgentDomain, trx: Db, agentId: string): Promise<void> {
  await models.leaveConversations(trx, agentId);
  await models.leaveTools(trx, agentId);
  await dropMemories(trx, agentId);
}

/** Conversations at a provider belong to a configuration; a new key or prompt does not change it. */
function isSameConfig(one: StoredProvider, other: StoredProvider): boolean {
  return one.provider === other.provider && isDeepStrictEqual(one.config, other.config);
}

function mergeProvider(
  agentId: string,
  former: StoredProvider | undefined,
  change: ProviderChange,
  updatedAt: string,
): StoredProvider | { faults: readonly ConfigFault[] } {
  const provider = change.provider ?? (former?.provider as ProviderName | undefined);
  if (!provider) throw new GatewayError('no_provider');
  const stored = former?.provider === provider ? former : { config: {}, secrets: {} };
  const merged = mergeConfig(modelProvider(provider), stored, change.config ?? {});
  if ('faults' in merged) return merged;
  const { systemPrompt = former?.systemPrompt ?? null } = change;
  const { greeting = former?.greeting ?? null } = change;
  const { liveReplies = former?.liveReplies ?? true } = change;
  const eventFilter = { ...former?.eventFilter, ...definedOf(change.eventFilter ?? {}) };
  return { agentId, provider, ...merged, systemPrompt, greeting, liveReplies, eventFilter, updatedAt };
}

function definedOf(filter: Readonly<Record<string, boolean | undefined>>): Record<string, boolean> {
  return Object.fromEntries(Object.entries(filter).filter((entry) => entry[1] !== undefined)) as Record<
    string,
    boolean
  >;
}

/** Returns the names of the changed fields for the audit log, without their values, which may be private. */
function changedNames(next: StoredProvider, change: ProviderChange) {
  return {
    provider: next.provider,
    config: Object.keys(change.config ?? {}),
    systemPrompt: change.systemPrompt !== undefined,
    greeting: change.greeting !== undefined,
    liveReplies: change.liveReplies !== undefined,
    eventFilter: Object.keys(change.eventFilter ?? {}),
  };
}

function viewOf(agentId: string, stored: StoredProvider | undefined): ProviderView {
  const kind = stored && modelProvider(stored.provider as ProviderName);
  return {
    agentId,
    provider: stored?.provider ?? null,
    config: kind && stored ? shownConfig(kind, stored.config) : {},
    secretsSet: Object.keys(stored?.secrets ?? {}),
    systemPrompt: stored?.systemPrompt ?? null,
    greeting: stored?.greeting ?? null,
    liveReplies: stored?.liveReplies ?? true,
    eventFilter: { ...DEFAULT_EVENT_FILTER, ...stored?.eventFilter },
    updatedAt: stored?.updatedAt ?? null,
  };
}
