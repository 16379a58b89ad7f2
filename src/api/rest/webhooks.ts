import * as z from 'zod';
import type { Connector } from '../../connectors/contract/connector.ts';
import { type TakesWebhooks, takesWebhooks, type WebhookReply } from '../../connectors/contract/messenger.ts';
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
  return [...connectors].flatMap((connector) =>
    takesWebhooks(connector)
      ? connector.webhooks.methods.map((method) => (method === 'get' ? asked(connector) : told(connector)))
      : [],
  );
}

function common({ platform, webhooks }: Connector & TakesWebhooks) {
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
function asked(connector: Connector & TakesWebhooks): Route {
  return route({
    ...common(connector),
    method: 'get',
    operationId: `${connector.platform}WebhookCheck`,
    summary: `Verify the webhook URL for ${connector.platform}`,
    handler: (request) => receive(connector, 'get', request, NO_BYTES),
  });
}

function told(connector: Connector & TakesWebhooks): Route {
  return route({
    ...common(connector),
    method: 'post',
    operationId: `${connector.platform}Webhook`,
    summary: `Receive events from ${connector.platform}`,
    body: 'raw',
    bodyLimitBytes: BODY_LIMIT_BYTES,
    precheck: (request) => {
      const refusal = connector.refuses({
        loginKey: request.params.login_key,
        header: (name) => request.header(name),
      });
      return refusal && answerOf(refusal);
    },
    handler: (request) => receive(connector, 'post', request, request.body),
  });
}

async function receive(
  connector: Connector & TakesWebhooks,
  method: 'get' | 'post',
  request: RouteRequest<null, z.output<typeof WebhookParams>, z.output<typeof WebhookQuery>>,
  body: Uint8Array,
) {
  const { params, query } = request;
  const header = (name: string) => request.header(name);
  return answerOf(await connector.webhook({ method, loginKey: params.login_key, query, header, body }));
}

function answerOf({ status, text }: WebhookReply) {
  return status === 200 ? replyBytes(status, TEXT_TYPE, text) : reply(status, { detail: text });
}
