import { unreachable } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { SentDm } from './dm.ts';
import type { Settled } from './outbox.ts';

/** Suffix of errors after which the message may still have arrived. */
export const MAY_HAVE_ARRIVED = 'the message may still have arrived';

/** Converts a message's result for its sender. Throws `send_failed`. */
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

/** The message is sent in the background; an event reports the result. */
export function stillSending(messageId: string): SentDm {
  return { kind: 'still_sending', messageId };
}

/** The specification's text, followed by the reason. */
export function sendFailed(reason: string): GatewayError {
  return new GatewayError('send_failed', `Failed to send message: ${reason}`);
}
