import * as z from 'zod';
import { field, platformJson } from '../../../base/platform-json.ts';
import { SlackFailure } from './slack-failure.ts';

/** https://docs.slack.dev/apis/web-api/#responses */
const Answer = z.looseObject({
  ok: z.boolean(),
  error: field(z.string()),
  needed: field(z.string()),
  response_metadata: field(z.object({ messages: field(z.array(z.string())) })),
});

const DEFAULT_RETRY_MS = 1_000;
const MAX_WORDS = 300;

/** Slack's words for failures that pass. Nothing was done. */
const PASSING: ReadonlySet<string> = new Set([
  'ratelimited',
  'rate_limited',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
]);
/** "It's possible some aspect of the operation succeeded before the error was raised." */
const UNCLEAR: ReadonlySet<string> = new Set(['fatal_error', 'internal_error']);

/** Whether a word of Slack's says nothing about the request itself: asking again may help. */
export function isPassing(word: string): boolean {
  return PASSING.has(word) || UNCLEAR.has(word);
}

/** Returns Slack's answer. Throws a SlackFailure when it is not `ok`. */
export function resultIn(status: number, retryAfterS: string | null, body: Uint8Array): unknown {
  const { data: answer } = Answer.safeParse(platformJson(body));
  const word = answer?.error ?? '';
  if (status === 429 || PASSING.has(word))
    throw new SlackFailure('later', word || 'ratelimited', { word, afterMs: pauseOf(retryAfterS) });
  if (answer?.ok) return answer;
  if (answer === undefined || UNCLEAR.has(word) || status >= 500)
    throw new SlackFailure('unclear', word || `HTTP status ${status} without a readable answer`, { word });
  throw new SlackFailure('refused', wordsOf(answer), { word });
}

/** https://docs.slack.dev/apis/web-api/rate-limits */
function pauseOf(retryAfterS: string | null): number {
  const ms = Number(retryAfterS ?? Number.NaN) * 1_000;
  return Number.isFinite(ms) && ms > 0 ? ms : DEFAULT_RETRY_MS;
}

/** Slack's word, with the scope that is missing or the arguments that it did not like. */
function wordsOf({ error, needed, response_metadata: more }: z.output<typeof Answer>): string {
  const details = needed === undefined ? (more?.messages ?? []) : [`needed: ${needed}`];
  const words = error ?? 'no reason given';
  return (details.length === 0 ? words : `${words} (${details.join('; ')})`)
    .replace(/\s+/g, ' ')
    .slice(0, MAX_WORDS);
}
