import {
  DiscordAPIError,
  HTTPError,
  RateLimitError,
  REST,
  type RequestData,
  type ResponseLike,
  type RouteLike,
} from '@discordjs/rest';
import { InteractionResponseType, RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import * as z from 'zod';
import { readAnswer } from '../../base/answer-body.ts';
import { servedOwner } from '../../base/on-behalf.ts';
import { RequestPace } from '../../base/request-pace.ts';
import { type Clock, pause, withDeadline } from '../../base/time.ts';
import type { OutboundMessage, OutboundReaction, SendOutcome } from '../contract/messenger.ts';
import { PlatformFailure, platformFailure } from '../kit/platform-failure.ts';
import { parsed, type Upload } from '../kit/platform-http.ts';
import { outcomeOf, sendParts } from '../kit/sending.ts';
import type { VoiceRest } from './gateway/voice-signaling.ts';
import { toDiscord } from './messages/discord-markdown.ts';
import { type Part, partsOf, RETRY_MS, requestOf, SEND_RULES } from './messages/message-parts.ts';
import {
  Application,
  Channel,
  GatewayBot,
  Guild,
  GuildMember,
  Message,
  personName,
  Snowflake,
  User,
} from './objects.ts';

export interface DiscordRestOptions {
  /** Without the version, for example `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly clock: Clock;
  /** Called when Discord has refused the token. */
  readonly onLoggedOut?: (failure: PlatformFailure) => void;
}

/** The library's names of methods. */
const VERBS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

/** The library counts seconds of its own, which are not Discord's. */
const NO_LIMIT = 1_000_000;

interface Request {
  readonly method?: keyof typeof VERBS;
  readonly path: RouteLike;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of a body. */
  readonly upload?: Upload;
  readonly deadlineMs?: number;
}

/** Stands in for a token in whatever Discord says. */
export const HIDDEN_TOKEN = '[token]';

const DEADLINE_MS = 15_000;
const TYPING_DEADLINE_MS = 4_000;
const EDIT_DEADLINE_MS = 8_000;
const UNKNOWN_MESSAGE = `${RESTJSONErrorCodes.UnknownMessage}`;
/** Above every deadline of ours: the library's own must never come first. */
const LIBRARY_DEADLINE_MS = 300_000;
const MAX_ANSWER_BYTES = 8 * 1_024 * 1_024;
/** A part without an answer is repeated: Discord returns the first message for a nonce that it knows. */
const MAX_TRIES = 3;

/** Codes of refusals that pass by themselves. */
const PASSING: ReadonlySet<number> = new Set([
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast,
  RESTJSONErrorCodes.APIResourceOverloaded,
]);
const PASSING_MS = 5_000;
const MIN_LIMIT_MS = 250;
/** Discord takes 50 (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit). */
const MOST_PER_SECOND = 48;
/** Typing indicators leave so many to others. */
const FOR_OTHERS = 24;
const PLACE_PARTS = 3;
const NEVER_ASKED = 'The deadline passed before Discord was asked';

const Created = z.object({ id: Snowflake });

/**
 * The requests that the gateway makes as one bot. Each rejects with a PlatformFailure, whose code is one of Discord's
 * (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json). @discordjs/rest follows Discord's rate limits
 * of routes and sends the requests of a bucket one after the other; what it would hold back is refused at once, as `later`, so
 * nothing queues up in it. The limit of a bot is counted here, and its channels take turns.
 */
export class DiscordRest implements VoiceRest {
  readonly #options: DiscordRestOptions;
  readonly #rest: REST;
  readonly #pace: RequestPace;
  /** Discord's words once it has refused the token. Repeated 401 answers would get our address banned. */
  #refusal: PlatformFailure | null = null;

  constructor(options: DiscordRestOptions) {
    this.#options = options;
    this.#pace = new RequestPace(options.clock, { most: MOST_PER_SECOND, withinMs: 1_000 });
    this.#rest = new REST({
      api: options.apiUrl,
      version: '10',
      retries: 0,
      timeout: LIBRARY_DEADLINE_MS,
      globalRequestsPerSecond: NO_LIMIT,
      rejectOnRateLimit: () => true,
      makeRequest,
    }).setToken(options.token);
  }

  /** Lets the token be tried again. */
  retryToken(): void {
    this.#refusal = null;
    this.#rest.setToken(this.#options.token);
  }

  close(): void {
    this.#rest.clearHashSweeper();
    this.#rest.clearHandlerSweeper();
    this.#pace.close();
  }

  async me(signal: AbortSignal): Promise<User> {
    return await this.get(User, Routes.user(), signal);
  }

  async application(signal: AbortSignal): Promise<z.output<typeof Application>> {
    return await this.get(Application, Routes.currentApplication(), signal);
  }

  async gatewayBot(signal: AbortSignal): Promise<z.output<typeof GatewayBot>> {
    return await this.get(GatewayBot, Routes.gatewayBot(), signal);
  }

  async channel(channelId: string, signal: AbortSignal): Promise<Channel> {
    return await this.get(Channel, Routes.channel(channelId), signal);
  }

  async guild(guildId: string, signal: AbortSignal): Promise<z.output<typeof Guild>> {
    return await this.get(Guild, Routes.guild(guildId), signal);
  }

  async message(channelId: string, messageId: string, signal: AbortSignal): Promise<Message> {
    return await this.get(Message, Routes.channelMessage(channelId, messageId), signal);
  }

  /** Returns the oldest messages after one, at most 100, in no particular order. One that cannot be read is null. */
  async messagesAfter(
    channelId: string,
    messageId: string,
    signal: AbortSignal,
  ): Promise<(Message | null)[]> {
    const request = { path: Routes.channelMessages(channelId), query: { after: messageId, limit: '100' } };
    return await this.#ask(z.array(Message.nullable().catch(null)), request, signal);
  }

  /** Returns the channel of direct messages with a person. */
  async directChannel(personId: string, signal: AbortSignal): Promise<string> {
    const body = { recipient_id: personId };
    return (await this.#ask(Created, { method: 'POST', path: Routes.userChannels(), body }, signal)).id;
  }

  /** Sends one message, or several if it has more than ten files. Discord's refusals are outcomes. */
  async sendMessage(
    channelId: string,
    message: Pick<OutboundMessage, 'messageId' | 'text' | 'attachments' | 'replyTo' | 'choices' | 'shownId'>,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { shownId, text } = message;
    return await sendParts({
      parts: partsOf(message),
      send: async (part) => {
        if (shownId !== undefined && (await this.#completed(channelId, shownId, text, signal)))
          return [shownId];
        return [await this.#sendPart(channelId, part, signal)];
      },
      failed: (error, sentIds) => outcomeOf(error, sentIds, SEND_RULES),
    });
  }

  /** Posts the beginning of a message, once per nonce. Returns its id. */
  async postLive(channelId: string, key: string, text: string, signal: AbortSignal): Promise<string> {
    const [part] = partsOf({ messageId: key, text, attachments: [] });
    const request = { method: 'POST', ...requestOf(channelId, part!) } as const;
    return (await this.#ask(Created, request, signal)).id;
  }

  async editMessage(channelId: string, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    const body = { content: toDiscord(text), allowed_mentions: { parse: [] } };
    const path = Routes.channelMessage(channelId, messageId);
    await this.#ask(z.unknown(), { method: 'PATCH', path, body, deadlineMs: EDIT_DEADLINE_MS }, signal);
  }

  async deleteMessage(channelId: string, messageId: string, signal: AbortSignal): Promise<void> {
    const path = Routes.channelMessage(channelId, messageId);
    await this.#ask(z.unknown(), { method: 'DELETE', path }, signal);
  }

  /** Returns whether the message that is shown has this text now. False: somebody has deleted it. */
  async #completed(channelId: string, shownId: string, text: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.editMessage(channelId, shownId, text, signal);
      return true;
    } catch (error) {
      if (error instanceof PlatformFailure && error.code === UNKNOWN_MESSAGE) return false;
      throw error;
    }
  }

  /** Adds a reaction of the bot, or takes it back. Custom emoji are `name:id`. */
  async react(
    channelId: string,
    { platformMessageId, emoji, isAdded }: OutboundReaction,
    signal: AbortSignal,
  ): Promise<void> {
    const path = Routes.channelMessageOwnReaction(channelId, platformMessageId, emoji);
    await this.#ask(z.unknown(), { method: isAdded ? 'PUT' : 'DELETE', path }, signal);
  }

  /** Tells Discord that a press has arrived, and that the message stays as it is. */
  async acknowledge(
    { id, token }: { readonly id: string; readonly token: string },
    signal: AbortSignal,
  ): Promise<void> {
    const body = { type: InteractionResponseType.DeferredMessageUpdate };
    const path = Routes.interactionCallback(id, token);
    await this.#ask(z.unknown(), { method: 'POST', path, body }, signal);
  }

  /** Rejects at once while others need the requests of this second. */
  async showTyping(channelId: string, signal: AbortSignal): Promise<void> {
    if (this.#pace.free <= FOR_OTHERS) throw new PlatformFailure('later', 'too many requests');
    const path = Routes.channelTyping(channelId);
    await this.#ask(z.unknown(), { method: 'POST', path, deadlineMs: TYPING_DEADLINE_MS }, signal);
  }

  async memberName(guildId: string, userId: string, signal: AbortSignal): Promise<string> {
    const { nick, user } = await this.get(GuildMember, Routes.guildMember(guildId, userId), signal);
    return nick ?? (user ? personName(user) : userId);
  }

  async get<Schema extends z.ZodType>(
    schema: Schema,
    path: RouteLike,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    return await this.#ask(schema, { path }, signal);
  }

  async #sendPart(channelId: string, part: Part, signal: AbortSignal): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        const request = { method: 'POST', ...requestOf(channelId, part) } as const;
        return (await this.#ask(Created, request, signal)).id;
      } catch (error) {
        const isUnclear = error instanceof PlatformFailure && error.kind === 'unclear';
        if (!isUnclear || tries === MAX_TRIES || signal.aborted) throw error;
        await pause(this.#options.clock, RETRY_MS, signal);
      }
    }
  }

  async #ask<Schema extends z.ZodType>(
    schema: Schema,
    request: Request,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    if (this.#refusal !== null) throw this.#refusal;
    if (signal.aborted) throw new PlatformFailure('unreachable', NEVER_ASKED);
    return parsed(schema, await this.#send(request, signal), "Discord's answer cannot be read");
  }

  async #send(request: Request, outer: AbortSignal): Promise<unknown> {
    const { path, method, query, body, upload, deadlineMs = DEADLINE_MS } = request;
    const { clock, token, onLoggedOut } = this.#options;
    const data: RequestData = {
      ...(query && { query: new URLSearchParams(query) }),
      ...(body === undefined ? {} : { body }),
      ...(upload && uploaded(upload)),
    };
    try {
      return await withDeadline(clock, deadlineMs, outer, async (signal) => {
        const options = { ...data, signal };
        const turn = await this.#pace.turn(servedOwner() ?? placeOf(path), deadlineMs, signal);
        if (turn === null) throw new PlatformFailure('unreachable', NEVER_ASKED);
        return await this.#rest[VERBS[method ?? 'GET']](path, options).finally(turn.answered);
      });
    } catch (error) {
      const failure = withoutToken(failureOf(error, upload?.isWhole), token);
      if (failure.isLoggedOut) {
        this.#refusal = failure;
        onLoggedOut?.(failure);
      }
      throw failure;
    }
  }
}

/** The channel, server or person of a route: `/channels/1/messages` is one of `/channels/1`. */
function placeOf(route: RouteLike): string {
  return route.split('/', PLACE_PARTS).join('/');
}

/** Classifies what a request rejected with. `wasWhole`: the entire request had been handed over. */
export function failureOf(error: unknown, wasWhole?: boolean): PlatformFailure {
  if (error instanceof RateLimitError) return limited(error);
  if (error instanceof DiscordAPIError) return refusal(error);
  if (error instanceof HTTPError)
    return new PlatformFailure('unclear', `Discord answered ${error.status}`, { status: error.status });
  return platformFailure('Discord', error, wasWhole);
}

function limited({ timeToReset, retryAfter, global }: RateLimitError): PlatformFailure {
  const afterMs = Math.max(MIN_LIMIT_MS, ...[timeToReset, retryAfter].filter(Number.isFinite));
  const words = global ? 'You are being rate limited (global)' : 'You are being rate limited';
  return new PlatformFailure('later', words, { status: 429, afterMs });
}

function refusal({ status, code, message }: DiscordAPIError): PlatformFailure {
  // What is not Discord's answer, as of a proxy, says nothing about the token.
  if (typeof code !== 'number')
    return new PlatformFailure('refused', `Discord did not answer as expected (HTTP status ${status})`);
  const isPassing = PASSING.has(code);
  const words = code === 0 ? message : `${message} (${code})`;
  return new PlatformFailure(isPassing ? 'later' : 'refused', words || `HTTP status ${status}`, {
    status,
    code: `${code}`,
    afterMs: isPassing ? PASSING_MS : 0,
    isLoggedOut: status === 401,
  });
}

function withoutToken(failure: PlatformFailure, token: string): PlatformFailure {
  const { kind, message } = failure;
  return message.includes(token)
    ? new PlatformFailure(kind, message.replaceAll(token, HIDDEN_TOKEN), failure)
    : failure;
}

function uploaded(upload: Upload): RequestData {
  return {
    body: upload.body(),
    passThroughBody: true,
    headers: { 'Content-Type': upload.contentType, 'Content-Length': `${upload.lengthBytes}` },
  };
}

/** The library's way to the network: bodies are streamed, answers are bounded, redirects are errors. */
async function makeRequest(url: string, init: object): Promise<ResponseLike> {
  const answer = await fetch(url, { ...(init as RequestInit), redirect: 'error', duplex: 'half' });
  const { status, statusText, headers } = answer;
  const body = await readAnswer(answer, MAX_ANSWER_BYTES);
  // Statuses such as 204 allow no body.
  const whole = new Response(body.length === 0 ? null : Buffer.from(body), { status, statusText, headers });
  return whole as unknown as ResponseLike;
}
