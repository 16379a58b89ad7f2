import { assert } from '../../base/assert.ts';
import { isDiskFull } from '../../base/errors.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import { SERVICE_WINDOW_MS } from '../../base/platform.ts';
import type { Clock } from '../../base/time.ts';
import { withDeadline } from '../../base/waits.ts';
import type { Address } from '../contract/address.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import type { InvitesPeople, LoginRef, LoginState, SharesLogin } from '../contract/login.ts';
import type {
  DropsCaptions,
  FetchesFiles,
  HasWindow,
  MessageIntake,
  Messenger,
  MessengerObserver,
  OutboundFile,
  OutboundMessage,
  SendOutcome,
} from '../contract/messenger.ts';
import {
  LOGIN_WEBHOOK,
  type TakesWebhooks,
  type WebhookReply,
  type WebhookRequest,
} from '../contract/webhooks.ts';
import { checkTextLength } from '../kit/text-limit.ts';
import { GraphClient, type GraphOptions } from './graph-client.ts';
import { type GraphError, isLoginError } from './graph-error.ts';
import { followUp, inviteLink, STRANGER_TEXT } from './invitation.ts';
import { downloadMedia, mediaSize } from './media-download.ts';
import { mediaKindOf, takesCaption } from './media-kind.ts';
import { MessageSender, WHATSAPP_REMEDIES } from './message-sender.ts';
import { NumberLogin } from './number-login.ts';
import { type WebhookEvent, WebhookReceiver, type WebhookSecrets } from './webhook-receiver.ts';

/** Message length from the specification, "Limits", in UTF-16 units. */
const TEXT_LENGTH = 1_600;
/** Meta's limit. */
const CAPTION_LENGTH = 1_024;
const ANSWER_DEADLINE_MS = 15_000;
/** Short, because Meta waits for the webhook's answer meanwhile. */
const SIZE_DEADLINE_MS = 2_000;
const MAX_NOTIFIED_STRANGERS = 20_000;

export interface WhatsAppOptions extends GraphOptions, WebhookSecrets {
  /** Language of the template `agent_followup`, for example `en` or `en_US`. */
  readonly templateLanguage: string;
}

export type WhatsAppEvent = WebhookEvent | 'login_failed' | 'login_ok' | 'api_error';

export type WhatsAppObserver = MessengerObserver<WhatsAppEvent>;

/** WhatsApp over Meta's Cloud API, with one business number shared by all accounts. */
export class WhatsAppConnector
  implements
    Connector,
    Messenger,
    HasWindow,
    FetchesFiles,
    DropsCaptions,
    TakesWebhooks,
    SharesLogin,
    InvitesPeople
{
  readonly platform = 'whatsapp';
  readonly remedies = WHATSAPP_REMEDIES;
  readonly provides: Provides = { messenger: this, webhooks: this, sharedLogin: this, invitations: this };
  readonly window: HasWindow = this;
  readonly files: FetchesFiles = this;
  readonly captions: DropsCaptions = this;
  readonly windowMs = SERVICE_WINDOW_MS;
  readonly endpoints = [{ path: LOGIN_WEBHOOK, methods: ['get', 'post'], answers: 'text' }] as const;
  readonly headers = ['x-hub-signature-256'];
  readonly #options: WhatsAppOptions;
  readonly #clock: Clock;
  readonly #observer: WhatsAppObserver;
  readonly #graph: GraphClient;
  readonly #sender: MessageSender;
  readonly #login: NumberLogin;
  readonly #webhooks: WebhookReceiver;
  readonly #strangers = new LimitedMap<true>(MAX_NOTIFIED_STRANGERS);
  readonly #answering = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #intake: MessageIntake | null = null;

  constructor(options: WhatsAppOptions, clock: Clock, observer: WhatsAppObserver) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#graph = new GraphClient(options);
    this.#sender = new MessageSender(this.#graph, clock, (error) => this.#apiError(error));
    this.#login = new NumberLogin(this.#graph, clock, (problem) => this.#loginState(problem));
    this.#webhooks = new WebhookReceiver(options, {
      clock,
      closing: this.#closing.signal,
      intake: () => this.#intakeSet(),
      sizeOf: (mediaId) => this.#sizeOf(mediaId),
      onStranger: (address) => this.#answerStranger(address),
      count: (event) => observer.count(event),
      onFailure: (error) => {
        if (!isDiskFull(error))
          observer.log('error', 'a WhatsApp webhook could not be stored', { err: error });
      },
    });
  }

  onMessages(intake: MessageIntake): void {
    this.#intake = intake;
  }

  /** Starts even when Meta does not accept the number yet; the login is retried. */
  async start(): Promise<void> {
    assert(this.#intake !== null, 'onMessages comes before start');
    this.#login.start();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#login.close();
    await Promise.all(this.#answering);
  }

  sharedLogin(): LoginState {
    return this.#login.state;
  }

  inviteUrl(token: string): string | null {
    const { name: number } = this.#login.state;
    return number === null ? null : inviteLink(number.replace(/\D/g, ''), token);
  }

  checkText(text: string, isCaption: boolean): void {
    if (isCaption) checkTextLength('WhatsApp', text.length, CAPTION_LENGTH, 'caption');
    else checkTextLength('WhatsApp', text.length, TEXT_LENGTH);
  }

  /** Audio drops its caption, however long (specification, "Attachments array"). */
  async dropsCaption(file: OutboundFile): Promise<boolean> {
    return !takesCaption(await mediaKindOf(file, true));
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome> {
    return await this.#sender.send(message, signal);
  }

  async askToReply(to: Address, text: string, signal: AbortSignal): Promise<SendOutcome> {
    const template = followUp(text, this.#options.templateLanguage);
    return await this.#sender.sendContent(to.space.id, template, null, signal);
  }

  async fetchFile(_login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return await downloadMedia(this.#graph, ref, signal);
  }

  refuses(request: Pick<WebhookRequest, 'loginKey' | 'header'>): WebhookReply | null {
    return this.#webhooks.refuses(request);
  }

  async webhook(request: WebhookRequest): Promise<WebhookReply> {
    return await this.#webhooks.take(request);
  }

  #intakeSet(): MessageIntake {
    assert(this.#intake !== null, 'onMessages comes before webhooks');
    return this.#intake;
  }

  async #sizeOf(mediaId: string): Promise<number | null> {
    return await withDeadline(this.#clock, SIZE_DEADLINE_MS, this.#closing.signal, (signal) =>
      mediaSize(this.#graph, mediaId, signal),
    );
  }

  /** Answers a stranger once. */
  #answerStranger({ space: { id: remoteId } }: Address): void {
    if (this.#strangers.get(remoteId) || this.#closing.signal.aborted) return;
    this.#strangers.set(remoteId, true);
    const content = { type: 'text', text: { body: STRANGER_TEXT } };
    const answering: Promise<void> = withDeadline(
      this.#clock,
      ANSWER_DEADLINE_MS,
      this.#closing.signal,
      (signal) => this.#sender.sendContent(remoteId, content, null, signal),
    ).then(() => {
      this.#answering.delete(answering);
    });
    this.#answering.add(answering);
  }

  #apiError(error: GraphError): void {
    this.#observer.count('api_error');
    if (isLoginError(error)) this.#login.failed(error.text);
  }

  #loginState(problem: string | null): void {
    this.#observer.count(problem === null ? 'login_ok' : 'login_failed');
    if (problem === null) this.#observer.log('info', 'logged in to WhatsApp', {});
    else this.#observer.log('warn', 'WhatsApp login failed', { problem });
  }
}
