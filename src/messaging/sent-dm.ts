import { GatewayError } from '../base/errors.ts';
import type { SentDm } from './dm.ts';
import type { Settled } from './outbox.ts';

/** Ends the text of an error after which nobody knows whether the message arrived. */
export const MAY_HAVE_ARRIVED = 'it may have arrived all the same';

/** What a message's end means for whoever sent it. Throws `send_failed`. */
export function sentOf(messageId: string, settled: Settled): SentDm {
  switch (settled.kind) {
    case 'delivered':
      return { kind: 'delivered', messageId };
    case 'waits': {
      const { templateSent, position } = settled;
      return { kind: 'queued', messageId, reason: 'outside_24h_window', templateSent, position };
    }
    case 'failed':
      throw sendFailed(settled.reason);
    case 'unknown':
      throw sendFailed(`${settled.reason}; ${MAY_HAVE_ARRIVED}`);
  }
}

/** Its files take longer than an answer may. */
export function stillSending(messageId: string): SentDm {
  return { kind: 'queued', messageId, reason: 'still_sending', templateSent: false, position: 1 };
}

/** The specification's text, then why. */
export function sendFailed(reason: string): GatewayError {
  return new GatewayError('send_failed', `Failed to send message: ${reason}`);
}
