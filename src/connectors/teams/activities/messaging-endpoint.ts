import { isDiskFull } from '../../../base/errors.ts';
import { platformJson } from '../../../base/platform-json.ts';
import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../../contract/webhooks.ts';
import type { ActivityTokens } from '../auth/activity-token.ts';
import type { AllowedHosts } from '../auth/allowed-hosts.ts';
import { CONSENT_INVOKE } from '../files/offered-files.ts';
import type { TeamsObserver } from '../teams-observer.ts';
import { Activity, isOfOneTenant } from './activity.ts';

const AUTHORIZATION = 'authorization';
const DONE: WebhookReply = { status: 200, json: {} };

export interface MessagingEndpointDeps {
  readonly tokens: ActivityTokens;
  /** Hosts of the Bot Connector. */
  readonly services: AllowedHosts;
  readonly observer: TeamsObserver;
  /** Stores what an activity tells. Rejects when it cannot be stored now. */
  take(activity: Activity): Promise<void>;
  /** Handles a person's answer to an offered file. */
  fileAnswered(activity: Activity): Promise<void>;
  /** An activity tells the name of the bot. */
  isNamed(name: string): void;
}

/** The bot's messaging endpoint: verifies activities, and acknowledges each once everything in it is stored. */
export class MessagingEndpoint implements TakesWebhooks {
  /** Azure's Bot Service calls the endpoint that its own set-up names this way. */
  readonly endpoints = [{ path: '/api/messages', methods: ['post'], answers: 'json' }] as const;
  readonly headers = [AUTHORIZATION];
  readonly #deps: MessagingEndpointDeps;

  constructor(deps: MessagingEndpointDeps) {
    this.#deps = deps;
  }

  /** Refuses requests that nobody's signature could make valid, before their body is read. */
  refuses({ header }: Pick<WebhookRequest, 'header'>): WebhookReply | null {
    return this.#deps.tokens.read(header(AUTHORIZATION)) === null ? this.#refused() : null;
  }

  /** Handles a request. Teams waits 15 seconds for the answer. */
  async webhook({ header, body }: WebhookRequest): Promise<WebhookReply> {
    const { tokens, observer } = this.#deps;
    const bearer = tokens.read(header(AUTHORIZATION));
    if (bearer === null) return this.#refused();
    try {
      const mayClaim = await tokens.verify(bearer);
      if (mayClaim === null) return this.#refused();
      const { data: activity } = Activity.safeParse(platformJson(body));
      if (!activity) return this.#unreadable();
      if (!mayClaim(activity) || !this.#deps.services.allows(activity.serviceUrl)) return this.#refused();
      return isOfOneTenant(activity) ? await this.#handle(activity) : this.#unreadable();
    } catch (error) {
      observer.count('keys_failed');
      observer.log('error', 'the keys of the Bot Connector cannot be read', { err: error });
      return { status: 503, text: 'The keys cannot be read' };
    }
  }

  async #handle(activity: Activity): Promise<WebhookReply> {
    const { observer, take, fileAnswered, isNamed } = this.#deps;
    if (activity.recipient?.name) isNamed(activity.recipient.name);
    try {
      if (activity.type !== 'invoke') await take(activity);
      else if (activity.name === CONSENT_INVOKE) await fileAnswered(activity);
      return DONE;
    } catch (error) {
      observer.count('event_failed');
      if (!isDiskFull(error))
        observer.log('error', 'an activity of Teams could not be stored', { err: error });
      return { status: 503, text: 'Not stored' };
    }
  }

  #refused(): WebhookReply {
    this.#deps.observer.count('webhook_refused');
    return { status: 401, text: 'Invalid token' };
  }

  #unreadable(): WebhookReply {
    this.#deps.observer.count('webhook_unreadable');
    return { status: 400, text: 'Not an activity' };
  }
}
