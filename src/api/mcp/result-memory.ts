import type { CallToolResult } from '@modelcontextprotocol/server';
import type { McpTool } from './tools/mcp-tool.ts';
import { resultJson } from './tools/tool-result.ts';

/** Longer answers are seldom the same twice. */
const MAX_LENGTH = 16_384;

interface Last {
  readonly text: string;
  readonly json: string;
}

/** The last result of each tool as JSON: agents ask again and again for what has not changed. */
export class ResultMemory {
  readonly #last = new Map<McpTool, Last>();

  json(tool: McpTool, result: CallToolResult): string {
    const [first] = result.content;
    if (result.isError || first?.type !== 'text' || first.text.length > MAX_LENGTH) return resultJson(result);
    const { text } = first;
    const last = this.#last.get(tool);
    if (last?.text === text) return last.json;
    const json = resultJson(result);
    this.#last.set(tool, { text, json });
    return json;
  }
}
