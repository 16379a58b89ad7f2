import type { Address, LoginRef } from '../../base/address.ts';
import { isDiskFull } from '../../base/errors.ts';
import { SERVICE_WINDOW_MS } from '../../base/platform.ts';
import { type Clock, withDeadline } from '../../base/time.ts';
import type { Connector, Provides } from '../contract/connector.ts';
import type { InvitesPeople } from '../contract/login.ts';
import type {
  DropsCaptions,
  FetchesFiles,
  HasWindow,
  Messenger,
  MessengerObserver,
  OutboundFile,
  OutboundMessage,
  SendOutcome,
} from '../contract/messenger.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { LOGIN_OK, LoginCheck } from '../kit/login-check.ts';
import { FirstTimes } from '../kit/newcomers.ts';
import type { PlatformFailure } from '../kit/platform-failure.ts';
import { checkTextLength } from '../kit/sending.ts';
import { GraphClient, type GraphOptions } from './client.ts';
import { toWhatsApp } from './formatting.ts';
import { followUp, inviteLink, STRANGER_TEXT } from './invitation.ts';
import { mediaKindOf, takesCaption } from './media-kind.ts';
import { MessageSender, WHATSAPP_REMEDIES } from './message-sender.ts';
import { type WebhookEvent, WebhookReceiver, type WebhookSecrets } from './webhook-receiver.ts';

/** Message length from the specification, "Limits", in UTF-16 units. */
const TEXT_LENGTH = 1_600;
/** Meta's limit. */
const CAPTION_LENGTH = 1_024;
const ANSWER_DEADLINE_MS = 15_000;

export interface WhatsAppOptions extends GraphOptions, WebhookSecrets {
  /** Language of the template `agent_followup`, for example `en` or `en_US`. */
  readonly templateLanguage: string;
}

export type WhatsAppEvent = WebhookEvent | 'login_failed' | 'login_ok' | 'api_error';

export type WhatsAppObserver = MessengerObserver<WhatsAppEvent>;

/** WhatsApp over Meta's Cloud API, with one business number shared by all accounts. */
export class WhatsAppConnector
  implements Connector, Messenger, HasWindow, FetchesFiles, DropsCaptions, InvitesPeople
{
  readonly platform = 'whatsapp';
  readonly remedies = WHATSAPP_REMEDIES;
  readonly provides: Provides;
  readonly window: HasWindow = this;
  readonly files: FetchesFiles = this;
  readonly captions: DropsCaptions = this;
  readonly windowMs = SERVICE_WINDOW_MS;
  readonly #options: WhatsAppOptions;
  readonly #clock: Clock;
  readonly #observer: WhatsAppObserver;
  readonly #graph: GraphClient;
  readonly #sender: MessageSender;
  /** Success proves that the token is valid and gives the number for invite links. */
  readonly #login: LoginCheck;
  readonly #strangers = new FirstTimes();
  readonly #answering = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #intake = new GivenIntake();
  readonly onMessages = this.#intake.give;

  constructor(options: WhatsAppOptions, clock: Clock, observer: WhatsAppObserver) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#graph = new GraphClient(options, clock);
    this.#sender = new MessageSender(this.#graph, clock, (failure) => this.#apiError(failure));
    this.#login = new LoginCheck(
      {
        clock,
        ask: async (signal) => ({ name: await this.#graph.displayedNumber(signal) }),
        wordsOf: (error) => (error as Error).message,
        onState: ({ status }, former) => {
          if (status !== former.status) this.#loginState(status);
        },
      },
      { status: 'not logged in yet' },
    );
    const webhooks = new WebhookReceiver(options, {
      clock,
      closing: this.#closing.signal,
      intake: this.#intake.get,
      sizeOf: (mediaId) => this.#graph.mediaSize(mediaId, this.#closing.signal),
      onStranger: (address) => this.#answerStranger(address),
      count: (event) => observer.count(event),
      onFailure: (error) => {
        if (!isDiskFull(error))
          observer.log('error', 'a WhatsApp webhook could not be stored', { err: error });
      },
    });
    const sharedLogin = { sharedLogin: () => this.#login.state };
    this.provides = { messenger: this, webhooks, sharedLogin, invitations: this };
  }

  /** Starts even when Meta does not accept the number yet; the login is retried. */
  async start(): Promise<void> {
    this.#login.check();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#login.close();
    await Promise.all(this.#answering);
  }

  inviteUrl(token: string): string | null {
    const { name: number } = this.#login.state;
    return number === null ? null : inviteLink(number.replace(/\D/g, ''), token);
  }

  checkText(text: string, isCaption: boolean): void {
    const { length } = toWhatsApp(text);
    if (isCaption) checkTextLength('WhatsApp', length, CAPTION_LENGTH, 'caption');
    else checkTextLength('WhatsApp', length, TEXT_LENGTH);
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
    return await this.#sender.sendContents(to.space.id, [template], null, signal);
  }

  async fetchFile(_login: LoginRef, ref: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return await this.#graph.openMedia(ref, signal);
  }

  /** Answers a stranger once. */
  #answerStranger({ space: { id: remoteId } }: Address): void {
    if (this.#closing.signal.aborted || !this.#strangers.isFirst(remoteId)) return;
    const content = { type: 'text', text: { body: STRANGER_TEXT } };
    const answering: Promise<void> = withDeadline(
      this.#clock,
      ANSWER_DEADLINE_MS,
      this.#closing.signal,
      (signal) => this.#sender.sendContents(remoteId, [content], null, signal),
    ).then(() => {
      this.#answering.delete(answering);
    });
    this.#answering.add(answering);
  }

  #apiError({ isLoggedOut, message }: PlatformFailure): void {
    this.#observer.count('api_error');
    if (isLoggedOut) this.#login.isDown(message);
  }

  #loginState(status: string): void {
    const isOk = status === LOGIN_OK;
    this.#observer.count(isOk ? 'login_ok' : 'login_failed');
    if (isOk) this.#observer.log('info', 'logged in to WhatsApp', {});
    else this.#observer.log('warn', 'WhatsApp login failed', { problem: status });
  }
}
