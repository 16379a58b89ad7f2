import { GatewayError } from '../../base/errors.ts';
import { type Clock, pause } from '../../base/time.ts';
import type { SendOutcome } from '../contract/messenger.ts';
import { PlatformFailure } from './platform-failure.ts';

/** What a platform's failures mean for a message. */
export interface SendRules {
  /** Pause after the platform could not be reached, in milliseconds. */
  readonly retryMs: number;
  /** Whether a refusal says that nobody is reached there until somebody writes again. Default: none does. */
  isGone?(failure: PlatformFailure): boolean;
  /** Parts that have arrived are not shown again when the whole message is sent later. */
  readonly dropsDuplicates?: true;
  /** Pause before a message that may be sent again. Default: as the platform says, or `retryMs`. */
  pauseMs?(failure: PlatformFailure): number;
}

/**
 * Returns the outcome of a message of which these parts have arrived. `isShown` false: the request shows nothing to anybody, so
 * that it is harmless to make it again. Throws what is no failure of the platform.
 */
export function outcomeOf(
  error: unknown,
  sentIds: readonly string[],
  rules: SendRules,
  isShown = true,
): SendOutcome {
  if (!(error instanceof PlatformFailure)) throw error;
  const { kind, message: reason, afterMs } = error;
  const isUnclear = kind === 'unclear' && isShown;
  if (isUnclear || (sentIds.length > 0 && !(rules.dropsDuplicates && mayPass(error))))
    return { kind: 'unknown', reason, sentIds };
  if (kind === 'refused') return { kind, reason, isAddressGone: rules.isGone?.(error) ?? false };
  const pauseMs = rules.pauseMs?.(error) ?? (kind === 'later' ? afterMs : rules.retryMs);
  return { kind: 'later', reason, afterMs: pauseMs };
}

export interface PartSending<Part> {
  readonly parts: Iterable<Part>;
  /** Sends a part and returns the ids of what appears. */
  send(part: Part): Promise<readonly string[]>;
  /** Returns the outcome of a message of which these parts have arrived. */
  failed(error: unknown, sentIds: readonly string[]): SendOutcome;
  /**
   * How rate limits and connection failures are waited out once a part has arrived, where the message as a whole cannot be
   * sent again. Absent: they are not.
   */
  readonly patience?: { readonly clock: Clock; readonly signal: AbortSignal; readonly retryMs: number };
}

/** Sends the parts of a message one after another. */
export async function sendParts<Part>(sending: PartSending<Part>): Promise<SendOutcome> {
  const sentIds: string[] = [];
  try {
    for (const part of sending.parts)
      sentIds.push(...(sentIds.length > 0 ? await sendPatiently(sending, part) : await sending.send(part)));
    return { kind: 'sent', platformMessageIds: sentIds };
  } catch (error) {
    return sending.failed(error, sentIds);
  }
}

async function sendPatiently<Part>(
  { send, patience }: PartSending<Part>,
  part: Part,
): Promise<readonly string[]> {
  for (;;) {
    try {
      return await send(part);
    } catch (error) {
      if (!patience || !(error instanceof PlatformFailure) || !mayPass(error)) throw error;
      await pause(patience.clock, error.afterMs || patience.retryMs, patience.signal);
      if (patience.signal.aborted) throw error;
    }
  }
}

/** Whether the request had no effect and may succeed later. */
function mayPass({ kind }: PlatformFailure): boolean {
  return kind === 'later' || kind === 'unreachable';
}

/** Throws GatewayError `send_failed` for a text of `count` characters, if `platform` takes at most `most`. */
export function checkTextLength(platform: string, count: number, most: number, what = 'message'): void {
  if (count <= most) return;
  const reason = `the ${what} is too long for ${platform}: ${count} characters, at most ${most}`;
  throw new GatewayError('send_failed', `Failed to send message: ${reason}`);
}

/** Counts the code points of a text, which Discord and Telegram call characters. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
