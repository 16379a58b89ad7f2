import { isDiskFull } from '../../../base/errors.ts';
import { platformJson } from '../../../base/platform-json.ts';
import type { Clock } from '../../../base/time.ts';
import type { TakesWebhooks, WebhookReply, WebhookRequest } from '../../contract/webhooks.ts';
import { type SignatureHeaders, type SignedHead, signedHead } from '../../kit/v0-signature.ts';
import { type Logins, placesOf } from '../login/logins.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import type { SlackObserver } from '../slack-observer.ts';
import { Envelope, pressEnvelope } from './event-payload.ts';
import { SignatureCheck } from './signature-check.ts';

/** Larger bodies are parsed only once their signature is known: a stranger may send a megabyte. */
const SMALL_BYTES = 16_384;
/** Slack names the workspace in the first fields of an event. */
const NAMES_BYTES = 1_024;
const SLACK_HEADERS: SignatureHeaders = {
  signature: 'x-slack-signature',
  timestamp: 'x-slack-request-timestamp',
};
const STORED: WebhookReply = { status: 200, text: '' };
const NOT_STORED: WebhookReply = { status: 503, text: 'Not stored' };

export interface WebhookReceiverDeps {
  readonly clock: Clock;
  readonly logins: Logins;
  readonly events: EventIntake;
  readonly observer: SlackObserver;
  /** Null: there is no shared app. */
  readonly sharedApp: SharedEvents | null;
}

/** The events of the shared app. */
interface SharedEvents {
  readonly signingSecret: string;
  /** Whether events of these workspaces can be stored soon, but not now. */
  expects(places: ReadonlySet<string>): boolean;
}

/** Verifies the requests of Slack's Events API, and acknowledges each once everything in it is stored. */
export class WebhookReceiver implements TakesWebhooks {
  readonly endpoints = [{ path: 'webhook', methods: ['post'], answers: 'text' }] as const;
  readonly headers = Object.values(SLACK_HEADERS);
  readonly #deps: WebhookReceiverDeps;

  constructor(deps: WebhookReceiverDeps) {
    this.#deps = deps;
  }

  /** Refuses requests that cannot be Slack's whatever their body: unsigned, or older than five minutes. */
  refuses({ header }: Pick<WebhookRequest, 'header'>): WebhookReply | null {
    return this.#head(header) === null ? this.#notSigned() : null;
  }

  /** Handles a request. Slack repeats it up to three times if it is not answered with 200 in three seconds. */
  async webhook({ header, body }: WebhookRequest): Promise<WebhookReply> {
    const head = this.#head(header);
    if (head === null) return this.#notSigned();
    const check = new SignatureCheck(head, body);
    if (body.length > SMALL_BYTES && this.#isForged(check, body)) return this.#notSigned();
    const envelope = envelopeIn(body);
    const senders = this.#senders(envelope, check);
    if (senders === null) return this.#notSigned();
    if (envelope?.type === 'url_verification') return { status: 200, text: envelope.challenge ?? '' };
    if (envelope === undefined) return this.#unreadable();
    if (envelope.type !== 'event_callback') return STORED;
    if (senders.length === 0) return this.#unclaimed(envelope);
    return (await this.#deps.events.store(envelope, senders)) ? STORED : NOT_STORED;
  }

  /** Whether no secret fits: first those of the workspaces that the body names where Slack does. */
  #isForged(check: SignatureCheck, body: Uint8Array): boolean {
    const { logins } = this.#deps;
    const named = logins.namedIn(Buffer.from(body.subarray(0, NAMES_BYTES)).toString('latin1'));
    return check.signerOf([...this.#secretsOf(named), ...this.#secretsOf(logins.all)]) === undefined;
  }

  /**
   * Returns the logins with whose secret the request is signed: of the workspace that it names, or any if it names none,
   * as when a URL is verified. Empty: it is signed for the shared app, which no account has in this workspace. Null: it
   * is not Slack's.
   */
  #senders(envelope: Envelope | undefined, check: SignatureCheck): readonly SlackLogin[] | null {
    const { logins } = this.#deps;
    const isEvent = envelope !== undefined && envelope.type !== 'url_verification';
    const candidates = isEvent ? logins.at(envelope) : logins.all;
    const signer = check.signerOf(this.#secretsOf(candidates));
    if (signer === undefined) return null;
    return candidates.filter(({ signingSecret }) => signingSecret === signer);
  }

  #secretsOf(logins: readonly SlackLogin[]): readonly string[] {
    const own = logins.flatMap(({ signingSecret }) => signingSecret ?? []);
    return [...new Set(own.concat(this.#deps.sharedApp?.signingSecret ?? []))];
  }

  /**
   * The shared app may stay in a workspace whose account has disconnected it. Refusing its events would make Slack
   * stop those of all workspaces.
   */
  #unclaimed(envelope: Envelope): WebhookReply {
    return this.#deps.sharedApp?.expects(placesOf(envelope)) ? NOT_STORED : STORED;
  }

  #head(header: WebhookRequest['header']): SignedHead | null {
    return signedHead(SLACK_HEADERS, header, Date.parse(this.#deps.clock.nowIso()));
  }

  #notSigned(): WebhookReply {
    this.#deps.observer.count('webhook_refused');
    return { status: 401, text: 'Invalid signature' };
  }

  #unreadable(): WebhookReply {
    this.#deps.observer.count('webhook_unreadable');
    return { status: 400, text: 'Not an event' };
  }
}

const FORM_FIELD = 'payload=';

/** Events are JSON; presses of buttons are JSON in a form. */
function envelopeIn(body: Uint8Array): Envelope | undefined {
  const isForm = Buffer.from(body.subarray(0, FORM_FIELD.length)).toString('latin1') === FORM_FIELD;
  if (!isForm) return Envelope.safeParse(platformJson(body)).data;
  const payload = new URLSearchParams(Buffer.from(body).toString()).get('payload') ?? '';
  return pressEnvelope(platformJson(payload)) ?? undefined;
}

/** Hands events to the logins that they are for, however they came. */
export class EventIntake {
  readonly #logins: Logins;
  readonly #observer: SlackObserver;

  constructor(logins: Logins, observer: SlackObserver) {
    this.#logins = logins;
    this.#observer = observer;
  }

  /** Resolves with whether everything in the event is stored for these logins. Never rejects. */
  async store({ event, event_id: eventId }: Envelope, logins: readonly SlackLogin[]): Promise<boolean> {
    try {
      for (const login of logins) await login.events.take(event, eventId);
      return true;
    } catch (error) {
      this.#observer.count('event_failed');
      if (!isDiskFull(error))
        this.#observer.log('error', 'an event of Slack could not be stored', { err: error });
      return false;
    }
  }

  /**
   * Handles an event that came over the connection of these logins' app. Resolves with whether to acknowledge it. Never
   * rejects.
   */
  async take(payload: unknown, loginKeys: ReadonlySet<string>): Promise<boolean> {
    const envelope = pressEnvelope(payload) ?? Envelope.safeParse(payload).data;
    if (envelope === undefined) this.#observer.count('webhook_unreadable');
    if (envelope?.type !== 'event_callback') return true;
    const meant = this.#logins.at(envelope).filter(({ key }) => loginKeys.has(key));
    if (meant.length > 0) return await this.store(envelope, meant);
    // Slack has not told yet of which workspace a login is.
    return ![...loginKeys].some((key) => this.#logins.get(key)?.identity === null);
  }
}
