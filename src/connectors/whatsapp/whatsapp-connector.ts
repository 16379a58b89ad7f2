import type { Address } from '../../base/address.ts';
import { isDiskFull } from '../../base/errors.ts';
import { SERVICE_WINDOW_MS } from '../../base/platform.ts';
import { type Clock, withDeadline } from '../../base/time.ts';
import type { Connector } from '../contract/connector.ts';
import type { Messenger, MessengerObserver } from '../contract/messenger.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { LOGIN_OK, LoginCheck } from '../kit/login-check.ts';
import { FirstTimes } from '../kit/newcomers.ts';
import { checkTextLength } from '../kit/sending.ts';
import { CHOICES, checkTextAbove } from './choices.ts';
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
/** Meta takes 80 messages a second from a number (error 130429 beyond), those received and their statuses included. */
const MOST_PER_SECOND = 60;
const ANSWER_DEADLINE_MS = 15_000;
const STRANGER = { type: 'text', text: { body: STRANGER_TEXT } };

export interface WhatsAppOptions extends GraphOptions, WebhookSecrets {
  /** Language of the template `agent_followup`, for example `en` or `en_US`. */
  readonly templateLanguage: string;
}

export type WhatsAppEvent = WebhookEvent | 'login_failed' | 'login_ok' | 'api_error';

export type WhatsAppObserver = MessengerObserver<WhatsAppEvent>;

/** WhatsApp over Meta's Cloud API, with one business number shared by all accounts. */
export function whatsAppConnector(
  options: WhatsAppOptions,
  clock: Clock,
  observer: WhatsAppObserver,
): Connector {
  const intake = new GivenIntake();
  const closing = new AbortController();
  const answering = new Set<Promise<void>>();
  const graph = new GraphClient(options, clock);
  const sender = new MessageSender(graph, clock, ({ isLoggedOut, message }) => {
    observer.count('api_error');
    if (isLoggedOut) login.isDown(message);
  });
  const login = loginOf(graph, clock, observer);
  const strangers = new FirstTimes();
  const onStranger = ({ space: { id } }: Address): void => {
    if (closing.signal.aborted || !strangers.isFirst(id)) return;
    const answer = async (signal: AbortSignal) => await sender.sendContents(id, [STRANGER], null, signal);
    const answered: Promise<void> = withDeadline(clock, ANSWER_DEADLINE_MS, closing.signal, answer).then(
      () => void answering.delete(answered),
    );
    answering.add(answered);
  };
  const webhooks = new WebhookReceiver(options, {
    clock,
    closing: closing.signal,
    intake: intake.get,
    sizeOf: (mediaId) => graph.mediaSize(mediaId, closing.signal),
    onStranger,
    count: (event) => observer.count(event),
    onFailure: (error) => {
      if (!isDiskFull(error)) observer.log('error', 'a WhatsApp webhook could not be stored', { err: error });
    },
  });
  const inviteUrl = (token: string) => {
    const { name: number } = login.state;
    return number === null ? null : inviteLink(number.replace(/\D/g, ''), token);
  };
  return {
    platform: 'whatsapp',
    provides: {
      messenger: { ...messengerOf(options, graph, sender), onMessages: intake.give },
      webhooks,
      sharedLogin: { sharedLogin: () => login.state },
      invitations: { inviteUrl },
    },
    /** Starts even when Meta does not accept the number yet; the login is retried. */
    start: async () => login.check(),
    async close() {
      closing.abort();
      await login.close();
      await Promise.all(answering);
    },
  };
}

/** Success proves that the token is valid and gives the number for invite links. */
function loginOf(graph: GraphClient, clock: Clock, observer: WhatsAppObserver): LoginCheck {
  return new LoginCheck(
    {
      clock,
      ask: async (signal) => ({ name: await graph.displayedNumber(signal) }),
      wordsOf: (error) => (error as Error).message,
      onState: ({ status }, former) => {
        if (status === former.status) return;
        const isOk = status === LOGIN_OK;
        observer.count(isOk ? 'login_ok' : 'login_failed');
        if (isOk) observer.log('info', 'logged in to WhatsApp', {});
        else observer.log('warn', 'WhatsApp login failed', { problem: status });
      },
    },
    { status: 'not logged in yet' },
  );
}

function messengerOf(
  { templateLanguage }: WhatsAppOptions,
  graph: GraphClient,
  sender: MessageSender,
): Omit<Messenger, 'onMessages'> {
  return {
    remedies: WHATSAPP_REMEDIES,
    mostPerSecond: MOST_PER_SECOND,
    window: {
      windowMs: SERVICE_WINDOW_MS,
      askToReply: async (to, text, signal) =>
        await sender.sendContents(to.space.id, [followUp(text, templateLanguage)], null, signal),
    },
    files: { fetchFile: async (_login, ref, signal) => await graph.openMedia(ref, signal) },
    /** Audio drops its caption, however long (specification, "Attachments array"). */
    captions: { dropsCaption: async (file) => !takesCaption(await mediaKindOf(file, true)) },
    quotes: true,
    choices: CHOICES,
    reactions: {
      async react({ space }, { platformMessageId, emoji, isAdded }, signal) {
        const reaction = { message_id: platformMessageId, emoji: isAdded ? emoji : '' };
        const outcome = await sender.sendContents(space.id, [{ type: 'reaction', reaction }], null, signal);
        if (outcome.kind === 'sent') return { kind: 'done' };
        const reason = outcome.kind === 'window_closed' ? 'the recipient must write first' : outcome.reason;
        return { kind: 'failed', reason };
      },
    },
    checkText(text, isCaption, hasChoices) {
      const { length } = toWhatsApp(text);
      if (hasChoices) checkTextAbove(toWhatsApp(text));
      else if (isCaption) checkTextLength('WhatsApp', length, CAPTION_LENGTH, 'caption');
      else checkTextLength('WhatsApp', length, TEXT_LENGTH);
    },
    send: async (message, signal) => await sender.send(message, signal),
  };
}
