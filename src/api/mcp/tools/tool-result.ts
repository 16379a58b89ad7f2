import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonReply } from '../../http/reply.ts';

/** An answer as a tool's result: structured, and as JSON for clients that only read text. */
export function toolResult({ body, text }: Pick<JsonReply, 'body' | 'text'>): CallToolResult {
  const json = text ?? JSON.stringify(body);
  // An answer that was kept for whoever asks again is there as text alone.
  const structuredContent: unknown = body ?? JSON.parse(json);
  return { content: [{ type: 'text', text: json }], structuredContent };
}

/** `JSON.stringify` of a result of a tool. Of one that is no error the text is the structured content, already as JSON. */
export function resultJson(result: CallToolResult): string {
  const [first] = result.content;
  if (result.isError || first?.type !== 'text') return JSON.stringify(result);
  return `{"content":[{"type":"text","text":${JSON.stringify(first.text)}}],"structuredContent":${first.text}}`;
}
