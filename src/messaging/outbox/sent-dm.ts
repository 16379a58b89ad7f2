import { unreachable } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
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
      return { kind: 'queued', messageId, templateSent, position };
    }
    case 'failed':
      throw sendFailed(settled.reason);
    case 'unknown':
      throw sendFailed(`${settled.reason}; ${MAY_HAVE_ARRIVED}`);
    case 'left':
      return stillSending(messageId);
    default:
      return unreachable(settled);
  }
}

/** It is sent in the background: an event tells how that ends. */
export function stillSending(messageId: string): SentDm {
  return { kind: 'still_sending', messageId };
}

/** The specification's text, then why. */
export function sendFailed(reason: string): GatewayError {
  return new GatewayError('send_failed', `Failed to send message: ${reason}`);
}
