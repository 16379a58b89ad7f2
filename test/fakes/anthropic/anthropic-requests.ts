import * as z from 'zod';
import { badRequest } from './anthropic-errors.ts';

/** Typings of @anthropic-ai/sdk 1.12.0, `resources/beta`: what the gateway and the SDK's tests use of them. */
const Metadata = z.record(z.string().max(64), z.string().max(512));

const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
const Model = z.union([
  z.string().min(1),
  z.strictObject({
    id: z.string().min(1),
    effort: Effort.nullish(),
    speed: z.enum(['standard', 'fast']).nullish(),
  }),
]);

const Policy = z.strictObject({ type: z.enum(['always_allow', 'always_ask', 'auto']) });
const DefaultConfig = z.strictObject({ enabled: z.boolean().nullish(), permission_policy: Policy.nullish() });
const McpToolset = z.strictObject({
  type: z.literal('mcp_toolset'),
  mcp_server_name: z.string().min(1).max(255),
  default_config: DefaultConfig.nullish(),
});
const CustomTool = z.strictObject({
  type: z.literal('custom'),
  name: z.string(),
  description: z.string(),
  input_schema: z.looseObject({ type: z.literal('object') }),
});
const Tools = z.array(z.discriminatedUnion('type', [McpToolset, CustomTool])).max(128);
const McpServers = z
  .array(z.strictObject({ type: z.literal('url'), name: z.string().min(1).max(255), url: z.url() }))
  .max(20);

const System = z.string().max(100_000);

export const NewAgent = z.strictObject({
  name: z.string().min(1),
  model: Model,
  description: z.string().nullish(),
  system: System.nullish(),
  tools: Tools.optional(),
  mcp_servers: McpServers.optional(),
  metadata: Metadata.optional(),
});

export const NewEnvironment = z.strictObject({
  name: z.string().min(1),
  config: z
    .strictObject({
      type: z.literal('cloud'),
      networking: z.strictObject({ type: z.literal('unrestricted') }).nullish(),
    })
    .nullish(),
  metadata: Metadata.optional(),
});

export const NewVault = z.strictObject({
  display_name: z.string().min(1).max(255),
  metadata: Metadata.optional(),
});

export const NewCredential = z.strictObject({
  display_name: z.string().max(255).nullish(),
  auth: z.strictObject({
    type: z.literal('static_bearer'),
    token: z.string().min(1),
    mcp_server_url: z.url(),
  }),
  metadata: Metadata.optional(),
});

const Overrides = z.strictObject({
  type: z.literal('agent_with_overrides'),
  id: z.string(),
  version: z.int().optional(),
  system: System.nullish(),
  model: Model.optional(),
  tools: Tools.optional(),
  mcp_servers: McpServers.optional(),
});

export const NewSession = z.strictObject({
  agent: z.union([
    z.string(),
    z.strictObject({ type: z.literal('agent'), id: z.string(), version: z.int().optional() }),
    Overrides,
  ]),
  environment_id: z.string(),
  vault_ids: z.array(z.string()).optional(),
  title: z.string().nullish(),
  metadata: Metadata.optional(),
});

const Text = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const SentEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('user.message'), content: z.array(Text).min(1) }),
  z.strictObject({ type: z.literal('user.interrupt'), session_thread_id: z.string().nullish() }),
  z.strictObject({
    type: z.literal('user.tool_confirmation'),
    tool_use_id: z.string(),
    result: z.enum(['allow', 'deny']),
    deny_message: z.string().nullish(),
  }),
  z.strictObject({
    type: z.literal('user.custom_tool_result'),
    custom_tool_use_id: z.string(),
    content: z.array(Text).optional(),
    is_error: z.boolean().nullish(),
  }),
]);
export const SentEvents = z.strictObject({ events: z.array(SentEvent).min(1) });

export type SentEvent = z.output<typeof SentEvent>;
export type SessionTools = z.output<typeof Tools>;
export type SessionServers = z.output<typeof McpServers>;
export type SessionModel = z.output<typeof Model>;

/** Reads a body, or throws Anthropic's error. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(body);
  if (error) throw badRequest(error);
  return data as z.output<Schema>;
}
