import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../../contract/webhooks.ts';
import { ADDON_RANDOM, ADDON_SIGNATURE } from '../pairing/addon-signature.ts';
import { CALLBACK_WEBHOOK } from '../pairing/pairing-callback.ts';
import { DISABLED_WEBHOOK, type TalkPairing } from '../pairing/talk-pairing.ts';

/** What addons post about pairings. */
export class PairingWebhooks implements TakesWebhooks {
  readonly endpoints = [CALLBACK_WEBHOOK, DISABLED_WEBHOOK].map((path) => ({
    path,
    methods: ['post'] as const,
    answers: 'json' as const,
  }));
  readonly headers = [ADDON_RANDOM, ADDON_SIGNATURE];
  readonly #pairing: TalkPairing;

  constructor(pairing: TalkPairing) {
    this.#pairing = pairing;
  }

  refuses(): null {
    return null;
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    return request.endpoint === CALLBACK_WEBHOOK
      ? await this.#pairing.callback.take(request.body)
      : this.#pairing.addonDisabled(request);
  }
}
