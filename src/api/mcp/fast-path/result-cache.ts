import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpTool } from '../tools/mcp-tool.ts';
import { resultJson } from '../tools/tool-result.ts';

/** Longer results rarely repeat. */
const MAX_LENGTH = 16_384;
/** Together with the rest of the answer this fits into the 16 KiB that the HTTP library sends at once. */
const MAX_HEAD_BYTES = 12_000;

interface LastResult {
  readonly text: string;
  readonly json: string;
  /** The answer up to the end of the result, encoded when the result has repeated once. */
  bytes: Uint8Array | null;
}

/** The last result of each tool as JSON: agents poll, and most results have not changed. */
export class ResultCache {
  readonly #last = new Map<McpTool, LastResult>();

  json(tool: McpTool, result: CallToolResult): string {
    return this.#find(tool, result)?.json ?? this.#keep(tool, result);
  }

  /** The start of the answer, `{"result":…`, as shared bytes. Null: the result has not repeated, or is too long. */
  head(tool: McpTool, result: CallToolResult): Uint8Array | null {
    const last = this.#find(tool, result);
    if (last === null) return null;
    last.bytes ??= Buffer.from(`{"result":${last.json}`);
    return last.bytes.byteLength > MAX_HEAD_BYTES ? null : last.bytes;
  }

  #find(tool: McpTool, result: CallToolResult): LastResult | null {
    const last = this.#last.get(tool);
    return last !== undefined && last.text === textOf(result) ? last : null;
  }

  #keep(tool: McpTool, result: CallToolResult): string {
    const json = resultJson(result);
    const text = textOf(result);
    if (text !== null) this.#last.set(tool, { text, json, bytes: null });
    return json;
  }
}

/** The text that identifies a result; null if it is not cached. */
function textOf({ isError, content: [first] }: CallToolResult): string | null {
  return isError || first?.type !== 'text' || first.text.length > MAX_LENGTH ? null : first.text;
}
