import { assert } from '../../base/assert.ts';
import type { GatewayTools, ModelTurn } from '../model-client.ts';

/** The gateway's MCP server, as the model sees it. */
const SERVER_NAME = 'gateway';

/**
 * The body of one interaction. Instructions, tools and generation_config hold for one interaction only, so they are sent
 * each time. https://ai.google.dev/api/interactions-api
 */
export function interactionBody(model: string, turn: ModelTurn, previousId: string | null): string {
  const { instructions, maxOutputTokens, isSpoken, tools } = turn;
  return JSON.stringify({
    model,
    input: inputOf(turn, previousId),
    ...(previousId === null ? {} : { previous_interaction_id: previousId }),
    ...(instructions === '' ? {} : { system_instruction: instructions }),
    generation_config: {
      max_output_tokens: maxOutputTokens,
      ...(isSpoken ? { thinking_level: 'low' } : {}),
    },
    ...(tools === null ? {} : { tools: [mcpServer(tools)] }),
    stream: true,
    store: true,
  });
}

/** Without an earlier interaction, the history goes along as its steps. */
function inputOf({ text, history }: ModelTurn, previousId: string | null): string | readonly object[] {
  assert(text !== null, 'no fate of a turn at Gemini is unanswered');
  if (previousId !== null || history.length === 0) return text;
  return [...history.map((past) => step(past.role, past.text)), step('user', text)];
}

function step(role: 'user' | 'assistant', text: string): object {
  return { type: role === 'user' ? 'user_input' : 'model_output', content: [{ type: 'text', text }] };
}

function mcpServer({ url, bearer }: GatewayTools): object {
  return { type: 'mcp_server', name: SERVER_NAME, url, headers: { Authorization: `Bearer ${bearer}` } };
}
