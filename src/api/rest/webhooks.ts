import * as z from 'zod';
import { assert } from '../../base/assert.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { EventLoopLimit } from '../../base/event-loop-limit.ts';
import { siteOf } from '../../base/networks.ts';
import type { Platform } from '../../base/platform.ts';
import type { ReadingTime } from '../../base/reading-time.ts';
import type { Connector } from '../../connectors/contract/connector.ts';
import {
  LOGIN_WEBHOOK,
  type TakesWebhooks,
  WEBHOOK_STATUSES,
  type WebhookEndpoint,
  type WebhookReply,
  type WebhookRequest,
  type WebhookStatus,
} from '../../connectors/contract/webhooks.ts';
import { errorReply } from '../http/answer/error-reply.ts';
import { reply, replyBytes } from '../http/answer/reply.ts';
import { pathParameterNames, type Route, type RouteRequest, route } from '../http/routing/route.ts';

const LoginParams = z.object({
  login_key: z.string().describe('The login concerned: `shared`, or the id of a bot token'),
});

/** Any query parameters, because platforms choose their own. */
const WebhookQuery = z.object({}).catchall(z.string());

const TEXT_TYPE = 'text/plain; charset=utf-8';
/** Default limit of a body, for all senders: only the signature identifies the platform. */
const BODY_LIMIT_BYTES = 1_048_576;

/** Its sender, or whoever shares its network, sends more than there is time for, or has gone. */
const TOO_MUCH: WebhookReply = { status: 503, text: 'Too many requests' };
const NO_BYTES = new Uint8Array(0);
/** Hashed and parsed in one turn of the event loop, about half a millisecond each: a platform has many connections. */
const WEBHOOKS_AT_ONCE = 4;

/** Codes of the refusals, which platforms tell apart by their status. */
const CODES = {
  400: 'webhook_invalid',
  401: 'webhook_not_signed',
  403: 'webhook_forbidden',
  404: 'webhook_unknown',
  503: 'webhook_not_stored',
} as const satisfies Record<Exclude<WebhookStatus, 200>, ErrorCode>;

/** Headers that the server writes, that change how a browser treats the gateway's pages, or that frame the body. */
const RESERVED_HEADER =
  /^(?:content-.*|transfer-encoding|connection|keep-alive|upgrade|trailer|location|set-cookie|access-control-.*|x-request-id|x-content-type-options)$/;
/** Visible characters of ASCII, spaces and tabs. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * Routes for the platforms' webhooks, mostly below `/api/<platform>/`. Each platform authenticates in its own way.
 */
export function webhookRoutes(connectors: Iterable<Connector>, readingTime: ReadingTime): Route[] {
  const turns = new EventLoopLimit(WEBHOOKS_AT_ONCE);
  return [...connectors].flatMap(({ platform, provides: { webhooks } }) => {
    if (webhooks === undefined) return [];
    for (const name of webhooks.replyHeaders ?? [])
      assert(!RESERVED_HEADER.test(name), `webhooks of ${platform} may not set ${name}`);
    return webhooks.endpoints.flatMap((endpoint) => {
      const target = { platform, webhooks, endpoint, readingTime, turns };
      return endpoint.methods.map((method) => (method === 'get' ? asked(target) : told(target)));
    });
  });
}

interface Target {
  readonly platform: Platform;
  readonly webhooks: TakesWebhooks;
  readonly endpoint: WebhookEndpoint;
  readonly readingTime: ReadingTime;
  readonly turns: EventLoopLimit;
}

function common({ platform, webhooks, endpoint: { path, answers } }: Target) {
  const body = answers === 'json' ? { schema: z.unknown() } : { contentType: TEXT_TYPE };
  return {
    path: fullPath(platform, path),
    access: 'public',
    tags: ['Webhooks'],
    headers: webhooks.headers,
    params: pathParameterNames(path).length === 0 ? z.object({}) : LoginParams,
    query: WebhookQuery,
    responses: { ...WEBHOOK_STATUSES, 200: { description: WEBHOOK_STATUSES[200], ...body } },
  } as const;
}

function fullPath(platform: Platform, path: string): `/${string}` {
  return isFullPath(path) ? path : `/api/${platform}/${path}`;
}

function isFullPath(path: string): path is `/${string}` {
  return path.startsWith('/');
}

/** The name of an endpoint in operation ids: `discordWebhook`, `discordChat`. */
function nameOf({ platform, endpoint: { path } }: Target): string {
  const words =
    path === LOGIN_WEBHOOK ? ['webhook'] : (path.replace(/^\/api\//, '').match(/[A-Za-z0-9]+/g) ?? []);
  return platform + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Some platforms first verify with a GET that the URL belongs to the gateway. */
function asked(target: Target): Route {
  return route({
    ...common(target),
    method: 'get',
    operationId: `${nameOf(target)}Check`,
    summary: `Verify the webhook URL for ${target.platform}`,
    handler: (request) => receive(target, request.isHead ? 'head' : 'get', request, NO_BYTES),
  });
}

function told(target: Target): Route {
  return route({
    ...common(target),
    method: 'post',
    operationId: nameOf(target),
    summary: `Receive events from ${target.platform}`,
    body: 'raw',
    bodyLimitBytes: target.endpoint.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    precheck: (request) => {
      const { webhooks, endpoint } = target;
      const refusal = webhooks.refuses({
        endpoint: endpoint.path,
        loginKey: loginKeyIn(request.params),
        header: (name) => request.header(name),
      });
      return refusal && answerOf(target, refusal);
    },
    // A copy, because the server reuses its memory and a platform may read the body late, after fetching a key.
    handler: (request) => receive(target, 'post', request, new Uint8Array(request.body)),
  });
}

function loginKeyIn(params: { readonly login_key?: string }): string {
  return params.login_key ?? '';
}

/**
 * Hands a request to its platform, which hashes and parses it. That takes the time of the network it comes from: until the
 * signature is checked, it may be anybody's.
 */
async function receive(
  target: Target,
  method: WebhookRequest['method'],
  request: RouteRequest<null, { readonly login_key?: string }, z.output<typeof WebhookQuery>>,
  body: Uint8Array,
) {
  const { params, query, signal, address } = request;
  const header = (name: string) => request.header(name);
  const { webhooks, endpoint, readingTime, turns } = target;
  const common = { method, endpoint: endpoint.path, loginKey: loginKeyIn(params), query, header };
  const network = siteOf(address);
  const reader = readingTime.of(network);
  try {
    await reader.turn(signal);
    await turns.enter(network);
  } catch {
    return answerOf(target, TOO_MUCH);
  }
  const answering = reader.counting(() => webhooks.webhook({ ...common, body, signal }));
  return answerOf(target, await answering);
}

function answerOf({ webhooks }: Target, answer: WebhookReply) {
  const { headers = {}, ended } = answer;
  try {
    assertMaySet(webhooks, headers);
  } catch (error) {
    ended?.('unwritten');
    throw error;
  }
  if ('json' in answer) return { ...reply(answer.status, answer.json, headers), ended };
  const { status, text } = answer;
  if (status === 200) return { ...replyBytes(status, TEXT_TYPE, text, headers), ended };
  return { ...errorReply(CODES[status], headers, text), ended };
}

/** A value may come from the request, and with a line break it would start another header. */
function assertMaySet({ replyHeaders = [] }: TakesWebhooks, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    assert(replyHeaders.includes(name), `webhook replies may not set ${name}`);
    assert(HEADER_VALUE.test(value), `the webhook reply's ${name} has control characters`);
  }
}
