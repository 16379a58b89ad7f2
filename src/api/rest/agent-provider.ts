import type { z } from 'zod';
import type { AgentDomain } from '../../agents/agent-domain.ts';
import { resetConversations } from '../../agents/change-agent.ts';
import type { ConfigFault } from '../../agents/provider-config.ts';
import {
  changeProvider,
  EVENT_TYPES,
  getProvider,
  type ProviderView,
} from '../../agents/provider-settings.ts';
import {
  type DeliveryDomain,
  hasEnded,
  queueTest,
  runTest,
  type TestKind,
} from '../../inline/deliveries/deliveries.ts';
import { DEFAULT_PROMPT } from '../../inline/prompt/default-prompt.ts';
import { type BrowseDomain, browseProvider } from '../../inline/provider/browse-provider.ts';
import { MODEL_PROVIDERS } from '../../models/all-providers.ts';
import type { ModelChoice } from '../../models/model-client.ts';
import type { ModelProvider, ProviderField } from '../../models/model-provider.ts';
import { reply } from '../http/answer/reply.ts';
import { unknownFieldFault, ValidationError } from '../http/request/validation.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { AgentParams, ResetConversations } from '../schema/agent.ts';
import {
  BrowseBody,
  Provider,
  ProviderBody,
  ProviderCatalog,
  ProviderChoices,
} from '../schema/agent-provider.ts';
import { NewDelivery, TestQuery } from '../schema/delivery.ts';
import type { ValidationFault } from '../schema/error-body.ts';
import { newDeliveryWire, queued } from './agent-deliveries.ts';

const config = resource('config', 'Agents');

/** Routes for the model behind an agent. */
export function agentProviderRoutes(
  agents: AgentDomain,
  deliveries: DeliveryDomain,
  browsing: BrowseDomain,
): Route[] {
  return [
    config.get('/api/agents/providers', {
      operationId: 'listProviders',
      summary: 'List the model providers and their settings',
      responses: { 200: { description: 'The catalog', schema: ProviderCatalog } },
      handler: () => reply(200, catalogWire()),
    }),
    config.get('/api/agents/{agent_id}/provider', {
      operationId: 'getProvider',
      summary: "Get an agent's provider",
      params: AgentParams,
      responses: { 200: { description: 'The provider', schema: Provider } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params }) =>
        reply(200, providerWire(await getProvider(agents, principal.accountId, params.agent_id))),
    }),
    config.patch('/api/agents/{agent_id}/provider', {
      operationId: 'changeProvider',
      summary: "Set or change an agent's provider",
      description:
        'A new provider starts without any fields, and a new endpoint requires the key again. The system prompt and the event filter are kept.',
      params: AgentParams,
      body: ProviderBody,
      responses: { 200: { description: 'The provider', schema: Provider } },
      fails: ['no_provider', 'email_not_verified', 'agent_not_found'],
      handler: async ({ principal, params, body }) => {
        const outcome = await changeProvider(agents, principal, params.agent_id, {
          provider: body.provider,
          config: body.config,
          systemPrompt: body.system_prompt,
          greeting: body.greeting,
          liveReplies: body.live_replies,
          eventFilter: body.event_filter,
        });
        if ('faults' in outcome) throw new ValidationError(outcome.faults.map(faultWire));
        return reply(200, providerWire(outcome));
      },
    }),
    test(deliveries, 'healthcheck'),
    test(deliveries, 'test'),
    config.post('/api/agents/{agent_id}/reset-conversations', {
      operationId: 'resetConversations',
      summary: "Delete an agent's sessions at its provider",
      params: AgentParams,
      responses: { 200: { description: 'Deleted', schema: ResetConversations } },
      fails: ['agent_not_found'],
      handler: async ({ principal, params }) => {
        const dropped = await resetConversations(agents, principal, params.agent_id);
        return reply(200, { status: 'ok' as const, dropped });
      },
    }),
    config.post('/api/agents/{agent_id}/provider/browse', {
      operationId: 'browseProvider',
      summary: 'List the models and agents that a provider offers',
      params: AgentParams,
      body: BrowseBody,
      bodyLimitBytes: 64 * 1024,
      idempotency: 'none',
      responses: { 200: { description: 'What can be chosen', schema: ProviderChoices } },
      fails: [
        'model_key_refused',
        'email_not_verified',
        'agent_not_found',
        'too_many_attempts',
        'model_provider_failed',
      ],
      handler: async ({ principal, params, body }) => {
        const found = await browseProvider(browsing, principal.accountId, params.agent_id, body);
        if ('faults' in found) throw new ValidationError(found.faults.map(faultWire));
        const { models, agents, notice } = found;
        return reply(200, { models: models.map(choiceWire), agents: agents.map(choiceWire), notice });
      },
    }),
  ];
}

function test(deliveries: DeliveryDomain, kind: TestKind): Route {
  const isProbe = kind === 'healthcheck';
  return config.post(
    isProbe ? '/api/agents/{agent_id}/provider/healthcheck' : '/api/agents/{agent_id}/test',
    {
      operationId: isProbe ? 'checkProvider' : 'testAgent',
      summary: isProbe ? "Test the provider's endpoint" : 'Queue a synthetic event',
      description:
        'Queues a delivery and returns it. Its outcome appears at `result_path`. With `wait`, the request waits for it.',
      params: AgentParams,
      query: TestQuery,
      responses: {
        200: { description: 'The delivery, with its outcome', schema: NewDelivery },
        202: { description: 'The delivery, queued', schema: NewDelivery },
      },
      fails: ['no_provider', 'agent_not_found', 'too_many_deliveries', 'too_many_waiters'],
      handler: async ({ principal, params: { agent_id: agentId }, query, signal }) => {
        if (query.wait === 0)
          return reply(202, newDeliveryWire(queued(await queueTest(deliveries, principal, agentId, kind))));
        const wait = { waitMs: query.wait * 1_000, signal };
        const tested = await runTest(deliveries, principal, { agentId, kind }, wait);
        return reply(hasEnded(tested.delivery) ? 200 : 202, newDeliveryWire(tested));
      },
    },
  );
}

function choiceWire({ id, name, endsAt: ends_at }: ModelChoice) {
  return { id, name, ends_at };
}

const WORDING = {
  missing: { type: 'missing', msg: 'Field required' },
  not_url: { type: 'url_parsing', msg: 'Input should be a valid URL, such as https://example.com/path' },
  invalid: { type: 'value_error', msg: 'String is too long or has control characters' },
} as const;

function faultWire(fault: ConfigFault): ValidationFault {
  const path = ['config', fault.field];
  const loc = ['body', ...path];
  if (fault.problem === 'unknown') return unknownFieldFault('body', { path, known: fault.known });
  if (fault.problem === 'unusable') return { loc, type: 'value_error', msg: fault.words };
  return { loc, ...WORDING[fault.problem] };
}

function providerWire(view: ProviderView): z.output<typeof Provider> {
  return {
    agent_id: view.agentId,
    provider: view.provider,
    config: { ...view.config },
    secrets_set: [...view.secretsSet],
    system_prompt: view.systemPrompt,
    greeting: view.greeting,
    live_replies: view.liveReplies,
    event_filter: { ...view.eventFilter },
    updated_at: view.updatedAt,
  };
}

type Catalog = z.output<typeof ProviderCatalog>;
type Entry = Catalog['providers'][number];

/** The API representation of the provider catalog, with each provider's settings as a JSON Schema. */
function catalogWire(): Catalog {
  return {
    providers: MODEL_PROVIDERS.map(entryWire),
    event_types: [...EVENT_TYPES],
    default_system_prompt: DEFAULT_PROMPT,
  };
}

function entryWire({ name, title, fields, anyOf }: ModelProvider): Entry {
  return {
    name,
    title,
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, propertyWire(field)])),
      required: fields.filter((field) => field.isRequired).map((field) => field.name),
      ...(anyOf ? { anyOf: anyOf.map((field) => ({ required: [field] })) } : {}),
      additionalProperties: false,
    },
  };
}

function propertyWire(field: ProviderField): Entry['schema']['properties'][string] {
  return {
    type: 'string',
    title: field.title,
    description: field.description,
    ...(field.kind === 'url' ? { format: 'uri' as const } : {}),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(field.kind === 'secret' ? { writeOnly: true as const } : {}),
  };
}
