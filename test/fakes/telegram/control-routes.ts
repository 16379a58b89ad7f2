import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { ApiError } from './api-error.ts';
import type { FakeBot } from './fake-bot.ts';
import type { FakePerson, SentKind } from './fake-person.ts';
import { readBody } from './read-call.ts';

const KINDS = [
  'photo',
  'document',
  'voice',
  'audio',
  'video',
  'video_note',
  'animation',
  'sticker',
] as const satisfies readonly SentKind[];

const Person = z.object({ id: z.int().positive(), first_name: z.string().default('Ada') });
const ToBot = z.object({ bot: z.string(), from: Person });

const BODIES = {
  bots: z.object({ username: z.string().optional() }),
  messages: ToBot.extend({
    text: z.string().default(''),
    file: z
      .object({ kind: z.enum(KINDS), name: z.string(), mime: z.string(), base64: z.base64() })
      .optional(),
  }),
  start: ToBot.extend({ payload: z.string() }),
  block: ToBot,
  unblock: ToBot,
  received: ToBot,
} as const;

/** The part of the fake that is controlled from outside. */
export interface Played {
  readonly bots: readonly FakeBot[];
  addBot(username?: string): FakeBot;
}

/**
 * What people do, controlled from another process, all by POST with JSON: `/fake/bots` makes a bot,
 * `/fake/messages` writes to it, `/fake/start` opens a deep link, `/fake/block` and `/fake/unblock` do so, and
 * `/fake/received` returns what the bot has sent to a person.
 */
export async function answerControl(
  fake: Played,
  request: IncomingMessage,
  [verb = '']: readonly string[],
): Promise<unknown> {
  const text = (await readBody(request)).toString('utf8');
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (verb === 'bots') {
    const { token, username } = fake.addBot(BODIES.bots.parse(body).username);
    return { token, username };
  }
  if (!(verb in BODIES)) throw new ApiError(404, 'Not Found');
  const { bot, from } = ToBot.loose().parse(body);
  return act(verb, body, botOf(fake, bot).person(from));
}

function botOf(fake: Played, name: string): FakeBot {
  const bot = fake.bots.find(({ username, token }) => username === name || token === name);
  if (!bot) throw new ApiError(404, `Not Found: there is no bot ${name}`);
  return bot;
}

function act(verb: string, body: unknown, person: FakePerson): unknown {
  switch (verb) {
    case 'start':
      return person.opens(BODIES.start.parse(body).payload);
    case 'block':
      person.blocks();
      return {};
    case 'unblock':
      person.unblocks();
      return {};
    case 'received':
      return { messages: person.received };
    default: {
      const { text, file } = BODIES.messages.parse(body);
      if (!file) return person.says(text);
      const { kind, name, mime, base64 } = file;
      const caption = text === '' ? {} : { caption: text };
      return person.sends(kind, { name, mime, bytes: Buffer.from(base64, 'base64') }, caption);
    }
  }
}
