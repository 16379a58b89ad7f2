import { type Address, keyOfAddress } from '../../../base/address.ts';
import { type Clock, TimeLimit } from '../../../base/time.ts';
import type { AwaitedReply, MessageIntake, SendOutcome } from '../../contract/messenger.ts';
import type { ReplyEnd, WebhookReply } from '../../contract/webhooks.ts';
import type { BotLogin } from '../login/bot-login.ts';
import { toTalk } from '../messages/talk-markdown.ts';

/** The addon posts an answer as soon as it has it. */
const POSTED_WITHIN_MS = 10_000;
/** How long the Nextcloud is asked to wait for the message, in seconds. */
const WAIT_S = 5;

/** The addon waits 120 s. */
const ANSWERED_WITHIN_MS = 110_000;

export interface Asked {
  readonly intake: MessageIntake;
  /** Who has probably written; null: that is known only once the room was read. */
  readonly expected: Address | null;
  /** Aborts when the addon disconnects. */
  readonly signal: AbortSignal;
  /** Resolves with who has written, once that is stored; null: nobody. */
  read(): Promise<Address | null>;
}

/**
 * Reads what was written, and waits for the agent's next message to whoever has written. Null: there is none in time. Rejects as
 * `read` does. The agent may answer as soon as the message is stored, so the wait begins before where it can.
 */
export async function awaitAnswer({ intake, expected, signal, read }: Asked): Promise<AwaitedReply | null> {
  const over = new AbortController();
  const wait = (from: Address) =>
    intake.awaitReply(from, ANSWERED_WITHIN_MS, AbortSignal.any([signal, over.signal]));
  const early = expected === null ? null : wait(expected);
  const drop = async () => {
    over.abort();
    (await early)?.settle(null);
  };
  let from: Address | null;
  try {
    from = await read();
  } catch (error) {
    await drop();
    throw error;
  }
  if (from !== null && expected !== null && keyOfAddress(from) === keyOfAddress(expected)) return await early;
  await drop();
  return from === null ? null : await intake.awaitReply(from, ANSWERED_WITHIN_MS, signal);
}

export interface Answering {
  readonly clock: Clock;
  readonly login: BotLogin;
  readonly token: string;
}

/** Answers a post with a message of the agent, which the addon then posts. What became of it is read from the room. */
export async function answerWith(answering: Answering, awaited: AwaitedReply): Promise<WebhookReply> {
  const { login, token } = answering;
  const { message } = awaited;
  login.hideTyping(token);
  const answerAfter = login.rooms.lastPosition(token);
  await login.records.putSending(message, answerAfter);
  const settle = async (end: ReplyEnd): Promise<void> => {
    if (end !== 'unwritten') return awaited.settle(await outcomeOf(answering, answerAfter));
    await login.records.notSent(message).catch(() => undefined);
    awaited.settle(null);
  };
  return { status: 200, json: { message: toTalk(message.text) }, ended: (end) => void settle(end) };
}

/** Never rejects. */
async function outcomeOf({ clock, login, token }: Answering, answerAfter: number): Promise<SendOutcome> {
  const limit = new TimeLimit(clock, POSTED_WITHIN_MS, { outer: login.signal });
  try {
    for (let lastId = answerAfter; !limit.signal.aborted; ) {
      const page = await login.api.messagesAfter(token, lastId, { signal: limit.signal }, WAIT_S);
      const posted = page.messages.find(
        ({ actorType, actorId }) => actorType === 'bots' && actorId === login.addonBotId,
      );
      if (posted) return { kind: 'sent', platformMessageIds: [`${posted.id}`] };
      lastId = page.nextId ?? lastId;
    }
  } catch {
    // It may have been posted all the same.
  } finally {
    limit.close();
  }
  return { kind: 'unknown', reason: 'The addon did not post the answer, or not in time', sentIds: [] };
}
