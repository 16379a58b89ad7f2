import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpTool } from './tools/mcp-tool.ts';
import { resultJson } from './tools/tool-result.ts';

/** Longer answers are seldom the same twice. */
const MAX_LENGTH = 16_384;
/** With all else of an answer it fits into the 16 KiB that the server library sends at once. */
const MAX_HEAD_BYTES = 12_000;

interface Last {
  readonly text: string;
  readonly json: string;
  /** Of the answer up to the end of the result, once it has come twice. */
  bytes: Uint8Array | null;
}

/** The last result of each tool: agents ask again and again for what has not changed. */
export class ResultMemory {
  readonly #last = new Map<McpTool, Last>();

  json(tool: McpTool, result: CallToolResult): string {
    return this.#find(tool, result)?.json ?? this.#keep(tool, result);
  }

  /**
   * What an answer begins with, `{"result":…`, as bytes, of which each answer would else make its own; null of a result
   * that has not come twice, or is long.
   */
  head(tool: McpTool, result: CallToolResult): Uint8Array | null {
    const last = this.#find(tool, result);
    if (last === null) return null;
    last.bytes ??= Buffer.from(`{"result":${last.json}`);
    return last.bytes.byteLength > MAX_HEAD_BYTES ? null : last.bytes;
  }

  #find(tool: McpTool, result: CallToolResult): Last | null {
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

/** All that a result says, as JSON; null of one that is not kept. */
function textOf({ isError, content: [first] }: CallToolResult): string | null {
  return isError || first?.type !== 'text' || first.text.length > MAX_LENGTH ? null : first.text;
}
