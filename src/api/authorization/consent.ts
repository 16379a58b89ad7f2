import type { Choice } from '../../authorization/approve.ts';
import type { AuthorizationRequest } from '../../authorization/authorization-request.ts';
import { namesOf } from '../../authorization/scope-names.ts';
import { PLATFORM_TRAITS, type Platform } from '../../base/platform.ts';
import { listAgents } from '../../store/agents/agents.ts';
import { findAccount } from '../../store/people/accounts.ts';
import type { Principal } from '../auth/principal.ts';
import type { ConsentQuestion } from '../pages/consent.ts';
import type { AuthorizationContext } from './authorization-context.ts';
import { parseForm } from './clients.ts';

/** Fields of the consent form. */
export interface GivenAnswer {
  readonly request: string;
  readonly ticket: string;
  readonly isYes: boolean;
  readonly platforms: readonly string[];
  readonly agents: readonly string[];
}

/** The user's choice. */
export interface GivenChoice {
  readonly platforms: readonly Platform[];
  readonly agentIds: readonly string[];
  /** Why the choice is invalid; '' if it is valid. */
  readonly complaint: string;
}

export function readAnswer(body: Uint8Array): GivenAnswer {
  const form = parseForm(body);
  return {
    request: form.get('request') ?? '',
    ticket: form.get('ticket') ?? '',
    isYes: form.get('decision') === 'allow',
    platforms: form.getAll('platform'),
    agents: form.getAll('agent'),
  };
}

/** Reads the user's choice, limited to the requested platforms and the account's own agents. */
export function choiceIn(
  { platforms: ticked, agents }: GivenAnswer,
  { platforms: asked }: AuthorizationRequest,
  ownAgentIds: readonly string[],
): GivenChoice {
  const platforms = namesOf(asked).filter((platform) => ticked.includes(platform));
  const agentIds = ownAgentIds.length > 1 ? ownAgentIds.filter((id) => agents.includes(id)) : ownAgentIds;
  if (platforms.length === 0) return { platforms, agentIds, complaint: 'Tick at least one platform' };
  if (agentIds.length === 0) return { platforms, agentIds, complaint: 'Tick at least one agent' };
  return { platforms, agentIds, complaint: '' };
}

interface PageState {
  readonly query: Readonly<Record<string, string>>;
  /** The preselected choice; undefined: all platforms and the default agent. */
  readonly given: Choice | undefined;
  readonly complaint: string;
}

/** Collects the content of the consent page. Connected platforms come first. */
export async function questionFor(
  { domain, tickets }: AuthorizationContext,
  { accountId, credentialId }: Principal,
  request: AuthorizationRequest,
  { query, given, complaint }: PageState,
): Promise<ConsentQuestion> {
  const { db } = domain.store;
  const account = await findAccount(db, accountId);
  const agents = await listAgents(db, accountId);
  const connected = await domain.connectedPlatforms(accountId);
  const chosenAgents = given?.agentIds ?? agents.filter(({ isDefault }) => isDefault).map(({ id }) => id);
  const chosen = new Set(namesOf(given?.platforms ?? null));
  const platforms = namesOf(request.platforms).map((id) => ({
    id,
    name: PLATFORM_TRAITS[id].title,
    isChosen: chosen.has(id),
    isConnected: connected.has(id),
  }));
  const requestText = new URLSearchParams(query).toString();
  return {
    request,
    requestText,
    ticket: tickets.issue(credentialId, requestText),
    account: account?.email ?? account?.name ?? '',
    otherAccountUrl: `authorize?${new URLSearchParams({ ...query, prompt: 'login' })}`,
    platforms: platforms.sort((one, other) => Number(other.isConnected) - Number(one.isConnected)),
    agents: agents.map(({ id, name }) => ({ id, name, isChosen: chosenAgents.includes(id) })),
    complaint,
  };
}
