import * as z from 'zod';
import type { CallOptions } from '../../kit/platform-http.ts';
import type { ConnectorCall, TeamsApi } from '../client.ts';
import type { ConversationReference } from '../teams-records.ts';
import { toMarkdown } from './text.ts';

const Posted = z.object({ id: z.string().min(1) });

/** Where an activity goes. */
export interface PostTarget {
  readonly reference: ConversationReference;
  /** The thread of a channel; null: none. */
  readonly thread: string | null;
}

/** An activity of the bot. */
export type OutboundActivity =
  | { readonly type: 'message'; readonly text: string; readonly textFormat?: 'markdown' }
  | { readonly type: 'message'; readonly attachments: readonly [object] }
  | { readonly type: 'typing' };

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
export function textActivity(text: string): OutboundActivity {
  return { type: 'message', text: toMarkdown(text), textFormat: 'markdown' };
}

function callOf(target: PostTarget, body: OutboundActivity): ConnectorCall {
  const { serviceUrl } = target.reference;
  return { method: 'POST', serviceUrl, path: pathOf(target), body };
}

function pathOf({ reference: { conversationId }, thread }: PostTarget): string {
  const id = thread === null ? conversationId : `${conversationId};messageid=${thread}`;
  return `v3/conversations/${encodeURIComponent(id)}/activities`;
}
