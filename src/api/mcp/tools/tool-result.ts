import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonReply } from '../../http/answer/reply.ts';

/** A tool's result: structured content, and the same as JSON for clients that only read text. */
export function toolResult({ body, text }: Pick<JsonReply, 'body' | 'text'>): CallToolResult {
  const json = text ?? JSON.stringify(body);
  // A stored answer of an earlier call exists only as text.
  const structuredContent: unknown = body ?? JSON.parse(json);
  return { content: [{ type: 'text', text: json }], structuredContent };
}

/** `JSON.stringify` of a result. The text of a success is the structured content, already serialized. */
export function resultJson(result: CallToolResult): string {
  const [first] = result.content;
  if (result.isError || first?.type !== 'text') return JSON.stringify(result);
  return `{"content":[{"type":"text","text":${JSON.stringify(first.text)}}],"structuredContent":${first.text}}`;
}
