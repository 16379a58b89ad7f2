import * as z from 'zod';
import type { Address } from '../../../base/address.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import type { ConnectorCall, TeamsApi } from '../client.ts';
import { type OpenChatDeps, openChat } from '../login/open-chat.ts';
import type { ConversationReference } from '../teams-records.ts';
import type { ConversationReferences } from './conversation-references.ts';
import { toMarkdown } from './text.ts';

/** Microsoft's words for conversations that cannot be written to until somebody writes again. */
const ADDRESS_GONE: ReadonlySet<string> = new Set([
  'MessageWritesBlocked',
  'BotNotInConversationRoster',
  'ForbiddenOperationException',
  'ConversationNotFound',
  'ConversationBlockedByUser',
  'BotDisabledByAdmin',
  'UserNotFound',
]);

export function isAddressGone({ code }: PlatformFailure): boolean {
  return ADDRESS_GONE.has(code);
}

export interface TargetDeps extends OpenChatDeps {
  readonly references: ConversationReferences;
}

/** Where to write to: the newest place heard from, or a person's chat, which is opened. Rejects with a PlatformFailure. */
export async function targetOf(deps: TargetDeps, to: Address, options: CallOptions): Promise<PostTarget> {
  const { references } = deps;
  const { space, thread } = to;
  const known = await references.find(space);
  if (known) return { reference: known, thread };
  if (space.kind === 'channel')
    throw new PlatformFailure('refused', 'Nothing has been heard from the channel');
  const reference = await openChat(deps, space.id, options);
  await references.heard(space, reference);
  await references.keep(space);
  return { reference, thread };
}

const Posted = z.object({ id: z.string().min(1) });

/** Where an activity goes. */
export interface PostTarget {
  readonly reference: ConversationReference;
  /** The thread of a channel; null: none. */
  readonly thread: string | null;
}

export interface TextActivity {
  readonly type: 'message';
  readonly text: string;
  readonly textFormat?: 'markdown';
  readonly id?: string;
  readonly entities?: readonly object[];
}

/** An activity of the bot. */
export type OutboundActivity =
  | TextActivity
  | { readonly type: 'message'; readonly attachments: readonly [object] }
  | {
      readonly type: 'typing';
      readonly text?: string;
      readonly textFormat?: 'markdown';
      readonly entities?: readonly object[];
    };

/** Posts a message and returns its id. Rejects with a PlatformFailure. */
export async function postActivity(
  api: TeamsApi,
  target: PostTarget,
  activity: OutboundActivity,
  options: CallOptions,
): Promise<string> {
  return (await api.call(callOf(target, activity), options, Posted)).id;
}

export async function postTyping(api: TeamsApi, target: PostTarget, options: CallOptions): Promise<void> {
  await api.call(callOf(target, { type: 'typing' }), options, z.unknown());
}

/** A text as an activity: in Markdown. */
export function textActivity(text: string): TextActivity {
  return { type: 'message', text: toMarkdown(text), textFormat: 'markdown' };
}

/** `id`: of an activity that is there. */
export function callOf(target: PostTarget, body?: OutboundActivity, id?: string): ConnectorCall {
  const { serviceUrl } = target.reference;
  const path = id === undefined ? pathOf(target) : `${pathOf(target)}/${encodeURIComponent(id)}`;
  return { method: 'POST', serviceUrl, path, ...(body && { body }) };
}

function pathOf({ reference: { conversationId }, thread }: PostTarget): string {
  const id = thread === null ? conversationId : `${conversationId};messageid=${thread}`;
  return `v3/conversations/${encodeURIComponent(id)}/activities`;
}
