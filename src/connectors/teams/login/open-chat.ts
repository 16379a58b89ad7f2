import * as z from 'zod';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import type { TeamsApi } from '../client.ts';
import type { ConversationReference } from '../teams-records.ts';

const PERSON = /^([\da-f-]{36}):([\da-f-]{36})$/;
const Created = z.object({ id: z.string().min(1) });
const Catalog = z.object({ value: z.array(z.object({ id: z.string().min(1) })) });

export interface OpenChatDeps {
  readonly api: TeamsApi;
  readonly appId: string;
  /** Where the first message to a person is sent; null: not known in this cloud. */
  readonly serviceUrl: string | null;
  /** Without a trailing slash. */
  readonly graphUrl: string;
}

/**
 * Opens the chat with somebody who has never written to the bot
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages). Without the
 * app the bot may not, so it installs itself if the tenant has granted that. Rejects with a PlatformFailure.
 */
export async function openChat(
  deps: OpenChatDeps,
  personId: string,
  options: CallOptions,
): Promise<ConversationReference> {
  const [, tenantId, objectId] = PERSON.exec(personId) ?? [];
  if (tenantId === undefined || objectId === undefined)
    throw new PlatformFailure('refused', 'The person has not written to the bot yet');
  const person = { tenantId, objectId };
  try {
    return await create(deps, person, options);
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.status !== 403) throw error;
    if (!(await install(deps, person, options))) throw error;
    return await create(deps, person, options);
  }
}

interface Person {
  readonly tenantId: string;
  readonly objectId: string;
}

async function create(
  { api, appId, serviceUrl }: OpenChatDeps,
  { tenantId, objectId }: Person,
  options: CallOptions,
): Promise<ConversationReference> {
  if (serviceUrl === null)
    throw new PlatformFailure(
      'refused',
      'The person has not written to the bot, and SVC_TEAMS_SERVICE_URL is not set',
    );
  const body = {
    isGroup: false,
    bot: { id: `28:${appId}` },
    members: [{ id: objectId }],
    tenantId,
    channelData: { tenant: { id: tenantId } },
  };
  const call = { method: 'POST', serviceUrl, path: 'v3/conversations', body } as const;
  const { id: conversationId } = await api.call(call, options, Created);
  return { conversationId, serviceUrl, tenantId };
}

/**
 * Installs the app for a person, from the catalog of their tenant
 * (https://learn.microsoft.com/graph/api/userteamwork-post-installedapps). Returns false when the tenant has not granted
 * it.
 */
async function install(
  { api, appId, graphUrl }: OpenChatDeps,
  { tenantId, objectId }: Person,
  options: CallOptions,
): Promise<boolean> {
  const use = { tenantId, scope: `${graphUrl}/.default` };
  const root = `${graphUrl}/v1.0`;
  const filter = new URLSearchParams({ $filter: `externalId eq '${appId}'` });
  const url = `${root}/appCatalogs/teamsApps?${filter}`;
  try {
    const { value } = await api.request({ method: 'GET', url, use }, options, Catalog);
    const [app] = value;
    if (!app) return false;
    const body = { 'teamsApp@odata.bind': `${root}/appCatalogs/teamsApps/${app.id}` };
    const target = `${root}/users/${objectId}/teamwork/installedApps`;
    await api.request({ method: 'POST', url: target, use, body }, options, z.unknown());
    return true;
  } catch (error) {
    // It is there already.
    if (error instanceof PlatformFailure && error.status === 409) return true;
    if (error instanceof PlatformFailure && error.kind === 'refused') return false;
    throw error;
  }
}
