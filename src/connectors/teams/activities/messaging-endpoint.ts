import { isDiskFull } from '../../../base/errors.ts';
import { platformJson } from '../../../base/platform-json.ts';
import type { TakesWebhooks, WebhookReply } from '../../contract/webhooks.ts';
import { ignored } from '../../kit/ignored.ts';
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
export function messagingEndpoint(deps: MessagingEndpointDeps): TakesWebhooks {
  const { tokens, services, observer } = deps;
  const refused = (): WebhookReply => {
    observer.count('webhook_refused');
    return { status: 401, text: 'Invalid token' };
  };
  const unreadable = (): WebhookReply => {
    observer.count('webhook_unreadable');
    return { status: 400, text: 'Not an activity' };
  };
  return {
    // Azure's Bot Service calls the endpoint that its own set-up names this way.
    endpoints: [{ path: '/api/messages', methods: ['post'], answers: 'json' }],
    headers: [AUTHORIZATION],
    /** Refuses requests that nobody's signature could make valid, before their body is read. */
    refuses: ({ header }) => (tokens.read(header(AUTHORIZATION)) === null ? refused() : null),
    /** Teams waits 15 seconds for the answer. */
    async webhook({ header, body }) {
      const bearer = tokens.read(header(AUTHORIZATION));
      if (bearer === null) return refused();
      try {
        const mayClaim = await tokens.verify(bearer);
        if (mayClaim === null) return refused();
        const { data: activity } = Activity.safeParse(platformJson(body));
        if (!activity) return unreadable();
        if (!mayClaim(activity) || !services.allows(activity.serviceUrl)) return refused();
        return isOfOneTenant(activity) ? await handled(deps, activity) : unreadable();
      } catch (error) {
        observer.count('keys_failed');
        observer.log('error', 'the keys of the Bot Connector cannot be read', { err: error });
        return { status: 503, text: 'The keys cannot be read' };
      }
    },
  };
}

async function handled(
  { observer, take, fileAnswered, isNamed }: MessagingEndpointDeps,
  activity: Activity,
): Promise<WebhookReply> {
  if (activity.recipient?.name) isNamed(activity.recipient.name);
  try {
    if (activity.type !== 'invoke') await take(activity);
    else if (activity.name === CONSENT_INVOKE) await fileAnswered(activity);
    else ignored(observer, 'event_ignored', `invoke ${activity.name ?? ''}`);
    return DONE;
  } catch (error) {
    observer.count('event_failed');
    if (!isDiskFull(error)) observer.log('error', 'an activity of Teams could not be stored', { err: error });
    return { status: 503, text: 'Not stored' };
  }
}
