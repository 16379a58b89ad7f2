import type { Remedy } from '../contract/remedy.ts';

/** Failures that people can solve (https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes). */
export const WHATSAPP_REMEDIES: readonly Remedy[] = [
  {
    words: /24-hour window|131047/,
    suggestion: 'Send the WhatsApp number a message: for 24 hours after it, messages to you arrive.',
  },
  {
    words: /131026/,
    suggestion:
      'Check that the number uses a current WhatsApp and has accepted its terms, and that it has not blocked the sender.',
  },
];
