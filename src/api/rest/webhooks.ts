import * as z from 'zod';
import type { Platform } from '../../base/platform.ts';
import type { Connector } from '../../connectors/contract/connector.ts';
import type { TakesWebhooks, WebhookReply } from '../../connectors/contract/webhooks.ts';
import { reply, replyBytes } from '../http/answer/reply.ts';
import { type Route, type RouteRequest, route } from '../http/routing/route.ts';

const WebhookParams = z.object({
  login_key: z.string().describe('The login concerned: `shared`, or the id of a bot token'),
});

/** Any query parameters, because platforms choose their own. */
const WebhookQuery = z.object({}).catchall(z.string());

const TEXT_TYPE = 'text/plain; charset=utf-8';
/** Body limit for all senders, because only the signature identifies the platform. */
const BODY_LIMIT_BYTES = 1_048_576;

const NO_BYTES = new Uint8Array(0);

const RESPONSES = {
  200: { description: 'Stored', contentType: TEXT_TYPE },
  400: 'The request is invalid',
  401: 'The request does not come from the platform',
  403: 'The request does not come from the platform',
  404: 'Unknown login',
  503: 'The event could not be stored; the platform should send it again',
} as const;

/**
 * Routes for the platforms' webhooks: `/api/<platform>/webhook/{login_key}`. Each platform authenticates in its own
 * way.
 */
export function webhookRoutes(connectors: Iterable<Connector>): Route[] {
  return [...connectors].flatMap(({ platform, provides: { webhooks } }) => {
    if (webhooks === undefined) return [];
    const target = { platform, webhooks };
    return webhooks.methods.map((method) => (method === 'get' ? asked(target) : told(target)));
  });
}

interface Target {
  readonly platform: Platform;
  readonly webhooks: TakesWebhooks;
}

function common({ platform, webhooks }: Target) {
  return {
    path: `/api/${platform}/webhook/{login_key}`,
    access: 'public',
    tags: ['Webhooks'],
    headers: webhooks.headers,
    params: WebhookParams,
    query: WebhookQuery,
    responses: RESPONSES,
  } as const;
}

/** Some platforms first verify with a GET that the URL belongs to the gateway. */
function asked(target: Target): Route {
  return route({
    ...common(target),
    method: 'get',
    operationId: `${target.platform}WebhookCheck`,
    summary: `Verify the webhook URL for ${target.platform}`,
    handler: (request) => receive(target.webhooks, 'get', request, NO_BYTES),
  });
}

function told(target: Target): Route {
  return route({
    ...common(target),
    method: 'post',
    operationId: `${target.platform}Webhook`,
    summary: `Receive events from ${target.platform}`,
    body: 'raw',
    bodyLimitBytes: BODY_LIMIT_BYTES,
    precheck: (request) => {
      const refusal = target.webhooks.refuses({
        loginKey: request.params.login_key,
        header: (name) => request.header(name),
      });
      return refusal && answerOf(refusal);
    },
    handler: (request) => receive(target.webhooks, 'post', request, request.body),
  });
}

async function receive(
  webhooks: TakesWebhooks,
  method: 'get' | 'post',
  request: RouteRequest<null, z.output<typeof WebhookParams>, z.output<typeof WebhookQuery>>,
  body: Uint8Array,
) {
  const { params, query } = request;
  const header = (name: string) => request.header(name);
  return answerOf(await webhooks.webhook({ method, loginKey: params.login_key, query, header, body }));
}

function answerOf({ status, text }: WebhookReply) {
  return status === 200 ? replyBytes(status, TEXT_TYPE, text) : reply(status, { detail: text });
}
