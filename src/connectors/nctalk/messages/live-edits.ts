import type { LiveMessage, LivePace } from '../../contract/live-message.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import type { TalkApi } from '../client.ts';
import { failureOf } from '../ocs-client.ts';
import { findMessage, referenceOf } from './references.ts';
import { toTalk } from './talk-markdown.ts';

/** The capability of a Talk in which messages can be edited: 18 and later (https://nextcloud-talk.readthedocs.io/en/latest/capabilities/). */
export const CAN_EDIT = 'edit-messages';
/** Each edit is a message of the system, which clients do not show. */
export const EDIT_PACE: LivePace = { most: 20, updates: 10, withinMs: 1_000, everyMs: 3_000 };

/** A room, as the bot in it. */
interface Room {
  readonly api: TalkApi;
  readonly token: string;
}

/** Shows the beginning of a message, once for its key, or edits it. Returns its id. Rejects with a PlatformFailure. */
export async function showBeginning(
  { api, token }: Room,
  { key, shownId, unclearSince, text: source, to: { thread } }: LiveMessage,
  options: CallOptions,
): Promise<string> {
  const text = toTalk(source);
  if (shownId !== null) {
    await api.editMessage(token, Number(shownId), text, options);
    return shownId;
  }
  const referenceId = referenceOf(key);
  const isIt = (message: { readonly referenceId?: string | undefined }) =>
    message.referenceId === referenceId;
  const known = unclearSince === null ? null : await findMessage(api, token, isIt, options);
  return `${known?.id ?? (await api.post({ token, text, referenceId, thread }, options))}`;
}

/**
 * Makes what is shown the whole message. False: Talk does not edit it, and it is gone or taken away: the message is to be posted.
 * Rejects with a PlatformFailure.
 */
export async function completeShown(
  { api, token }: Room,
  shownId: string,
  text: string,
  options: CallOptions,
): Promise<boolean> {
  try {
    await api.editMessage(token, Number(shownId), text, options);
    return true;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'refused' || failure.isLoggedOut) throw failure;
    await api.deleteMessage(token, Number(shownId), options).catch(() => {});
    return false;
  }
}
