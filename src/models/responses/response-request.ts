import type { GatewayTools, ModelTurn, PastTurn } from '../model-client.ts';

/** A message as the API takes it. */
export interface InputMessage {
  readonly type: 'message';
  readonly role: 'user' | 'assistant' | 'developer';
  readonly content: string;
}

/** OpenAI refuses less. */
const MIN_OUTPUT_TOKENS = 16;

/** Asks for the reply to a message that the provider has already. */
const CONTINUE = 'Answer the last message of the user.';

export function message(role: InputMessage['role'], content: string): InputMessage {
  return { type: 'message', role, content };
}

export function pastMessages(history: readonly PastTurn[]): InputMessage[] {
  return history.map(({ role, text }) => message(role, text));
}

/** The turn's own part of the input. */
export function newMessage({ text }: ModelTurn): InputMessage {
  return text === null ? message('developer', CONTINUE) : message('user', text);
}

export function maxOutputTokens(turn: ModelTurn): number {
  return Math.max(turn.maxOutputTokens, MIN_OUTPUT_TOKENS);
}

/**
 * The field by which the model may read from the gateway. Without `require_approval` a call would wait for somebody to
 * allow it. https://developers.openai.com/api/docs/guides/tools-connectors-mcp
 */
export function toolsField(tools: GatewayTools | null): { readonly tools?: readonly object[] } {
  if (tools === null) return {};
  const { url: server_url, bearer: authorization } = tools;
  const server_label = 'gateway';
  return { tools: [{ type: 'mcp', server_label, server_url, authorization, require_approval: 'never' }] };
}
