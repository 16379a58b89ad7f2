import * as z from 'zod';
import type { Address } from '../../../base/address.ts';
import type { LiveMessage, LiveOutcome, ShowsWriting } from '../../contract/live-message.ts';
import { liveOutcomeOf } from '../../kit/live-outcome.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import { failureOf } from '../client.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import { findKeyed, type Place, placeOf, postKeyed } from './keyed-posts.ts';
import { toMrkdwn } from './mrkdwn.ts';

/** Of an edit (https://docs.slack.dev/reference/methods/chat.update). */
const MAX_EDIT = 4_000;
const DEADLINE_MS = 5_000;
/** By so much, Slack's clock may differ from ours. */
const MAX_SKEW_MS = 120_000;
const SECOND_MS = 1_000;
const SOON_MS = 2_000;
const GONE = 'message_not_found';
/** Slack's words for messages that cannot become another text. */
const FIXED: ReadonlySet<string> = new Set([
  GONE,
  'cant_update_message',
  'edit_window_closed',
  'msg_too_long',
  'update_failed',
]);

/**
 * A message that is edited while it is written. A workspace takes some 50 edits of an app in a minute
 * (https://docs.slack.dev/apis/web-api/rate-limits), with those that make messages whole. Slack's own streams are for threads
 * only, 20 begin in a minute, and they have no metadata: after a crash nobody could tell whether one has begun.
 */
export function showsEdits(loginOf: (to: Address) => SlackLogin | undefined): ShowsWriting {
  return {
    kind: 'message',
    pace: { most: 100, updates: 20, withinMs: 60_000, everyMs: 2_500, mostEdits: 46 },
    shows: () => true,
    async show(message, signal) {
      const login = loginOf(message.to);
      return login ? await show(login, message, { deadlineMs: DEADLINE_MS, signal }) : { kind: 'refused' };
    },
    async remove(to, ts, signal) {
      const login = loginOf(to);
      const options = { deadlineMs: DEADLINE_MS, signal };
      const place = login && (await placeOf(login, to, options).catch(() => null));
      if (place) await remove(login, place, ts, options).catch(() => false);
    },
  };
}

async function show(login: SlackLogin, message: LiveMessage, options: CallOptions): Promise<LiveOutcome> {
  const { to, key, shownId, unclearSince } = message;
  const text = toMrkdwn(message.text);
  if (text.length > MAX_EDIT) return { kind: 'refused' };
  try {
    const place = await placeOf(login, to, options);
    if (shownId !== null) {
      await edit(login, place, { ts: shownId, text }, options);
      return { kind: 'shown', shownId };
    }
    const oldest = unclearSince && `${(Date.parse(unclearSince) - MAX_SKEW_MS) / SECOND_MS}`;
    const known = oldest && (await findKeyed(login, place, { key, oldest }, options));
    return { kind: 'shown', shownId: known || (await postKeyed(login, place, { key, text }, options)) };
  } catch (error) {
    const failure = failureOf(error);
    login.failed(failure);
    return liveOutcomeOf(failure);
  }
}

/**
 * Makes what is shown the whole message, in mrkdwn: by an edit, or where Slack takes none, by another post in its place. After
 * a crash this may be the second time. Returns the `ts` of the message. Rejects with a PlatformFailure.
 */
export async function complete(
  login: SlackLogin,
  place: Place,
  { shownId: ts, key, text }: { readonly shownId: string; readonly key: string; readonly text: string },
  options: CallOptions,
): Promise<string> {
  if (text.length <= MAX_EDIT) {
    const isWhole = await edit(login, place, { ts, text }, options).then(() => true, unless(isFixed));
    if (isWhole) return ts;
  }
  const wasThere = await remove(login, place, ts, options);
  // Somebody has deleted it; or an earlier process, which may have posted the message then.
  const known = wasThere ? null : await findKeyed(login, place, { key, oldest: ts }, options);
  return known ?? (await postKeyed(login, place, { key, text }, options));
}

async function edit(
  { api }: SlackLogin,
  { channel }: Place,
  change: { readonly ts: string; readonly text: string },
  options: CallOptions,
): Promise<void> {
  await api.call('chat.update', { channel, ...change }, options, z.unknown());
}

/** Returns whether the message was there. */
async function remove(
  { api }: SlackLogin,
  { channel }: Place,
  ts: string,
  options: CallOptions,
): Promise<boolean> {
  const deleted = api.call('chat.delete', { channel, ts }, options, z.unknown());
  return await deleted.then(
    () => true,
    unless(({ code }) => code === GONE),
  );
}

/** Whether Slack takes no edit, or none soon: it limits edits more than posts. */
function isFixed({ kind, code, afterMs }: PlatformFailure): boolean {
  return FIXED.has(code) || (kind === 'later' && afterMs > SOON_MS);
}

/** False for such a failure; throws any other. */
function unless(isSuch: (failure: PlatformFailure) => boolean): (error: unknown) => false {
  return (error) => {
    if (isSuch(failureOf(error))) return false;
    throw error;
  };
}
