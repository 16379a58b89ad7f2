import { type Address, directAddress } from '../../contract/address.ts';
import { SHARED_LOGIN } from '../../contract/login.ts';
import type { ConversationReference } from '../teams-records.ts';
import type { Activity } from './activity.ts';

const LOGIN = { kind: SHARED_LOGIN } as const;
/** Ends the id of a conversation in a channel: the message that began the thread. */
const THREAD = /^(.+);messageid=(\d{1,20})$/;

/** Where something happened, and who did it. */
export interface ActivityPlace {
  readonly address: Address;
  readonly reference: ConversationReference;
  /** The team of a channel; null elsewhere. */
  readonly teamId: string | null;
}

/** Returns a person's permanent id: object ids are unique only in their tenant. */
export function personId(tenantId: string, objectId: string): string {
  return `${tenantId}:${objectId}`.toLowerCase();
}

/** Null: it cannot be told, as with people without an account of work or school. */
export function placeOf({ conversation, from, channelData, serviceUrl }: Activity): ActivityPlace | null {
  const tenantId = channelData?.tenant?.id ?? conversation?.tenantId;
  if (!conversation || tenantId === undefined) return null;
  const person = from?.aadObjectId === undefined ? null : personId(tenantId, from.aadObjectId);
  const [, channelId, thread = null] = THREAD.exec(conversation.id) ?? [];
  const conversationId = channelId ?? conversation.id;
  const reference = { conversationId, serviceUrl, tenantId: tenantId.toLowerCase() };
  if (isPersonal(conversation))
    return person === null ? null : { address: directAddress(LOGIN, person), reference, teamId: null };
  const space = { kind: 'channel', id: conversationId } as const;
  const teamId = conversation.conversationType === 'channel' ? (channelData?.team?.id ?? null) : null;
  return { address: { login: LOGIN, space, thread, person }, reference, teamId };
}

/** Without a type, ids of chats with several people and of channels are told by their beginning. */
function isPersonal({ id, conversationType }: NonNullable<Activity['conversation']>): boolean {
  return conversationType === undefined ? !id.startsWith('19:') : conversationType === 'personal';
}

/** Whether what an activity says of its tenant is in agreement. */
export function isOfOneTenant({ conversation, channelData }: Activity): boolean {
  const [one, other] = [conversation?.tenantId, channelData?.tenant?.id];
  return one === undefined || other === undefined || one.toLowerCase() === other.toLowerCase();
}
