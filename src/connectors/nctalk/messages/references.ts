import { createHash } from 'node:crypto';
import type { CallOptions } from '../../kit/platform-http.ts';
import type { TalkApi } from '../client.ts';
import type { Message } from '../objects.ts';

/** Pages of 200 messages in which an earlier one is looked for. */
const MAX_PAGES = 5;

/** Returns the reference by which what is sent from here is found again: 64 hexadecimal digits, as Talk wants it. */
export function referenceOf(messageId: string, part: number | string = 0): string {
  return createHash('sha256').update(`${messageId}/${part}`).digest('hex');
}

/** Looks for a message among the last thousand of a room, the newest first; null: it is not there. Rejects with a PlatformFailure. */
export async function findMessage(
  api: TalkApi,
  token: string,
  isIt: (message: Message) => boolean,
  options: Partial<CallOptions>,
): Promise<Message | null> {
  let before = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const newestFirst = await api.messagesBefore(token, before, options);
    const found = newestFirst.find(isIt);
    const oldest = newestFirst.at(-1);
    if (found || !oldest) return found ?? null;
    before = oldest.id;
  }
  return null;
}
