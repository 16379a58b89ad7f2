import * as z from 'zod';
import { EVENT_TYPES } from '../../agents/provider-settings.ts';
import { PROVIDER_NAMES } from '../../models/model-provider.ts';
import { named } from './fields.ts';

const MAX_PROMPT_LENGTH = 100_000;
const MAX_GREETING_LENGTH = 1_000;
const MAX_FIELD_LENGTH = 4_096;

const EventType = z.enum(EVENT_TYPES);
const ProviderName = z.enum(PROVIDER_NAMES);

const ProviderConfigBody = z.record(z.string(), z.string().max(MAX_FIELD_LENGTH).nullable());

export const ProviderBody = named('ChangeProvider', {
  provider: ProviderName.nullish().describe('Null removes the provider and its settings'),
  config: ProviderConfigBody.optional().describe(
    "Fields from the provider's catalog entry. Omitted fields stay unchanged. Null or an empty text removes a field, but an empty key keeps the stored one.",
  ),
  system_prompt: z
    .string()
    .max(MAX_PROMPT_LENGTH)
    .nullish()
    .describe('The tags by which the model acts are explained after it, unless it mentions one'),
  greeting: z
    .string()
    .max(MAX_GREETING_LENGTH)
    .nullish()
    .describe('Spoken when a call is answered, without asking the model'),
  live_replies: z
    .boolean()
    .optional()
    .describe(
      'Whether people see a reply while the model writes it, on platforms that can show it. True unless it is set',
    ),
  event_filter: z
    .partialRecord(EventType, z.boolean())
    .optional()
    .describe('Events that call the model. Omitted events stay unchanged'),
});

export const BrowseBody = named('BrowseProvider', {
  provider: ProviderName,
  config: ProviderConfigBody.default({}).describe(
    "Fields from the provider's catalog entry. With a blank key, the stored one is used, if the provider and its endpoint are the agent's",
  ),
});

const Choice = z.object({
  id: z.string(),
  name: z.string(),
  ends_at: z.string().nullable().describe('Date from which it no longer answers'),
});

export const ProviderChoices = named('ProviderChoices', {
  models: z.array(Choice),
  agents: z.array(Choice).describe('Agents that the provider hosts'),
  notice: z.string().nullable().describe('What the key cannot do'),
});

/** An agent's provider, without its keys. */
export const Provider = named('AgentProvider', {
  agent_id: z.string(),
  provider: z.string().nullable(),
  config: z.record(z.string(), z.string()).describe('Without secrets; includes defaults'),
  secrets_set: z.array(z.string()).describe('Names of the stored secrets'),
  system_prompt: z.string().nullable(),
  greeting: z.string().nullable(),
  live_replies: z.boolean(),
  event_filter: z.record(z.string(), z.boolean()),
  updated_at: z.string().nullable(),
});

const ConfigProperty = z.object({
  type: z.literal('string'),
  title: z.string(),
  description: z.string(),
  format: z.literal('uri').optional(),
  default: z.string().optional(),
  writeOnly: z.literal(true).optional().describe('A secret: stored encrypted, never returned'),
});

export const ProviderCatalog = named('ProviderCatalog', {
  providers: z.array(
    z.object({
      name: ProviderName,
      title: z.string(),
      schema: z
        .object({
          type: z.literal('object'),
          properties: z.record(z.string(), ConfigProperty),
          required: z.array(z.string()),
          anyOf: z.array(z.object({ required: z.array(z.string()) })).optional(),
          additionalProperties: z.literal(false),
        })
        .describe('JSON Schema of `config`'),
    }),
  ),
  event_types: z.array(EventType).describe('Keys of `event_filter`'),
  default_system_prompt: z.string().describe('For agents without a system prompt of their own'),
});
