import * as z from 'zod';
import { type Limits, RESOURCES, SPANS } from '../../accounts/budgets/budget.ts';
import { BotPlatform } from './bot-token.ts';
import { Name, named } from './fields.ts';

export const AgentParams = z.object({ agent_id: z.string().describe('Identifier of the agent') });

export const AgentKeyParams = AgentParams.extend({ key_id: z.string().describe('Identifier of the key') });

export const AgentAccountParams = AgentParams.extend({
  account_type: z.string().describe('`connection`, `bot_token` or `sip_number`'),
  account_id: z.string().describe('Identifier of the platform account'),
});

export const AgentNameBody = named('AgentName', { name: Name });

const MAX_TIMEOUT_TEXT = 1_000;

const TimeoutText = z
  .string()
  .max(MAX_TIMEOUT_TEXT)
  .nullable()
  .describe(
    'Text sent to people who get no answer within 60 s. Null: the default text. Empty: nothing is sent',
  );

const LIMITS = RESOURCES.flatMap((resource) => SPANS.map((span) => `${resource}_per_${span}` as const));
const Limit = z.int().min(0).max(1e12).nullable();

const AgentBudget = z
  .object(Object.fromEntries(LIMITS.map((name) => [name, Limit])) as Record<keyof Limits, typeof Limit>)
  .meta({ id: 'AgentBudget' })
  .describe(
    'Limits of this agent per hour and day (UTC): calls and tokens of its model, minutes of its calls. Null: the default, which `GET /api/usage` tells',
  );

/** Of an agent whose owner has set no limits. */
export const DEFAULT_BUDGET = Object.fromEntries(LIMITS.map((name) => [name, null])) as Record<
  keyof Limits,
  null
>;

export const AgentChangeBody = z
  .object({
    name: Name.optional(),
    timeout_text: TimeoutText.optional(),
    budget: AgentBudget.partial().meta({ id: 'AgentBudgetChange' }).optional(),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'name, timeout_text or budget is required',
    path: ['name'],
  })
  .meta({ id: 'AgentChange' });

export const AccountType = z.enum(['connection', 'bot_token', 'sip_number']);

export const AttachAccountBody = named('AttachAccount', {
  account_type: AccountType,
  account_id: z.string(),
});

export const MintKeyBody = z.object({ name: Name.optional() }).optional().meta({ id: 'MintAgentKey' });

const common = {
  id: z.string(),
  status: z.string().describe('`ok`, `not_configured`, or the problem'),
  label: z.string(),
};
const Connection = z.object({
  type: z.literal('connection'),
  ...common,
  provider: z.string(),
  email: z.string().nullable(),
});
const Bot = z.object({
  type: z.literal('bot_token'),
  ...common,
  platform: BotPlatform,
  bot_name: z.string().nullable(),
});
const SipNumber = z.object({ type: z.literal('sip_number'), ...common, number: z.string() });

/** A platform account that belongs to an agent. */
export const AgentAccount = z.union([Connection, Bot, SipNumber]).meta({ id: 'AgentAccount' });

const agentIds = { agent_ids: z.array(z.string()).describe('Agents that the platform account belongs to') };

/** A platform account and the agents it belongs to. */
export const Candidate = z
  .union([Connection.extend(agentIds), Bot.extend(agentIds), SipNumber.extend(agentIds)])
  .meta({ id: 'AgentCandidate' });

export const CandidateList = named('AgentCandidateList', { accounts: z.array(Candidate) });

export const Agent = named('Agent', {
  id: z.string(),
  name: z.string(),
  is_default: z.boolean(),
  provider: z.string().nullable().describe('Name of the inline model provider'),
  created_at: z.string(),
  timeout_text: TimeoutText,
  budget: AgentBudget,
  keys: z.array(z.object({ id: z.string(), key_prefix: z.string() })),
  oauth_clients: z.array(
    z.object({
      client_id: z.string(),
      client_name: z.string(),
      registered_at: z.string(),
      last_used_at: z.string().nullable(),
    }),
  ),
  accounts: z.array(AgentAccount),
});

export const AgentList = named('AgentList', { agents: z.array(Agent) });

/** The key that an agent's model uses to call back. */
export const InternalBearer = named('InternalBearer', {
  agent_id: z.string(),
  bearer: z.string().describe('An agent key that acts only for this agent'),
  key_prefix: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});

export const ResetConversations = named('ResetConversations', {
  status: z.literal('ok'),
  dropped: z.int().describe('Number of deleted sessions'),
});
