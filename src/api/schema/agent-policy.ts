import * as z from 'zod';
import { parseCallPattern } from '../../base/call-pattern.ts';
import { named } from './fields.ts';

const MAX_PATTERNS = 100;
const MAX_PATTERN_LENGTH = 256;
/** As many as one reply can ask for. */
const MAX_ACTIONS = 20;

/** The MCP tools without any effect, which are all that a model can have. */
export const READING_TOOLS = ['svc_account', 'svc_inbox', 'svc_call_status', 'svc_call_list'] as const;

const Pattern = z
  .string()
  .max(MAX_PATTERN_LENGTH)
  .refine((text) => parseCallPattern(text) !== null, {
    message:
      'Input should be a number such as +442071838750, its beginning such as +4420*, a SIP URI, a host, or *',
  });

const CallsTo = z
  .array(Pattern)
  .max(MAX_PATTERNS)
  .describe(
    'Whom the model may call: numbers (`+442071838750`), beginnings of numbers (`+4420*`), SIP URIs (`sip:desk@example.com`), hosts of meetings and SIP names (`zoom.us`, with the hosts below it), or `*` for everybody. Whoever a turn is about can always be called back',
  );
const NewConversations = z
  .boolean()
  .describe('Whether the model may write to others than the conversation of its turn, other agents included');
const ActionsPerTurn = z
  .int()
  .min(0)
  .max(MAX_ACTIONS)
  .describe(
    'Messages, files, keys and calls of one reply. Sentences on a call and decisions on it do not count',
  );
const Tools = z
  .array(z.enum(READING_TOOLS))
  .max(READING_TOOLS.length)
  .nullable()
  .describe('MCP tools that the model may read with. Null: all that only read');

/** What an agent's model may do. */
export const AgentPolicy = named('AgentPolicy', {
  agent_id: z.string(),
  calls: CallsTo,
  new_conversations: NewConversations,
  actions_per_turn: ActionsPerTurn,
  tools: Tools,
});

/** Fields left out stay unchanged. */
export const AgentPolicyBody = named('ChangeAgentPolicy', {
  calls: CallsTo.optional(),
  new_conversations: NewConversations.optional(),
  actions_per_turn: ActionsPerTurn.optional(),
  tools: Tools.optional(),
});
