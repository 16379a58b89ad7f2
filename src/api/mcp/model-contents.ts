import type { CallToolResult } from '@modelcontextprotocol/server';
import { GatewayError } from '../../base/errors.ts';
import { goOn } from '../../base/now-or-later.ts';
import type { AgentScope } from '../../base/scope.ts';
import { failureReply } from '../http/answer/error-reply.ts';
import type { McpContents, Transcripts } from './mcp-contents.ts';
import type { McpTool, ToolContext } from './tools/mcp-tool.ts';
import { type McpTools, readingTools } from './tools/mcp-tools.ts';
import { toolError } from './tools/tool-result.ts';

/** With which tools the models of agents may read. */
export interface ReadingPolicy {
  mayRead(agentId: string, tool: string): boolean | Promise<boolean>;
  /** A model has called a tool that it may not read with. */
  refused(tool: string): void;
}

/** The tool that tells a transcript, too. */
const TRANSCRIPT_TOOL = 'svc_call_status';

/** What the model of an agent gets: the tools without any effect, as far as the policy of the agent has them. */
export function modelContents(contents: McpContents, policy: ReadingPolicy): McpContents {
  return {
    ...contents,
    tools: permittedTools(readingTools(contents.tools), policy),
    transcripts: permittedTranscripts(contents.transcripts, policy),
  };
}

function permittedTools(tools: McpTools, policy: ReadingPolicy): McpTools {
  return {
    async list(principal) {
      const all = await tools.list(principal);
      const may = await Promise.all(all.map(({ name }) => policy.mayRead(agentOf(principal), name)));
      return all.filter((_tool, at) => may[at]);
    },
    find(name) {
      const tool = tools.find(name);
      return tool && permitted(tool, policy);
    },
  };
}

function permitted(tool: McpTool, policy: ReadingPolicy): McpTool {
  const { name } = tool.description;
  const refusal = ({ requestId }: ToolContext): CallToolResult => {
    policy.refused(name);
    return toolError(failureReply(notInPolicy(name)), requestId);
  };
  return {
    ...tool,
    call: (context, args) =>
      goOn(policy.mayRead(agentOf(context.principal), name), (may) =>
        may ? tool.call(context, args) : refusal(context),
      ),
  };
}

function permittedTranscripts(transcripts: Transcripts, policy: ReadingPolicy): Transcripts {
  const may = async (scope: AgentScope): Promise<boolean> =>
    await policy.mayRead(agentOf(scope), TRANSCRIPT_TOOL);
  return {
    templates: transcripts.templates,
    list: async (scope) => ((await may(scope)) ? await transcripts.list(scope) : []),
    async read(scope, uri) {
      if (await may(scope)) return await transcripts.read(scope, uri);
      policy.refused(TRANSCRIPT_TOOL);
      throw notInPolicy(TRANSCRIPT_TOOL);
    },
    watch: (scope, listener) => transcripts.watch(scope, listener),
    watchList: (scope, listener) => transcripts.watchList(scope, listener),
  };
}

function notInPolicy(tool: string): GatewayError {
  return new GatewayError('forbidden', `The policy of the agent does not have the tool ${tool}`);
}

/** The bearer of a model acts for one agent. */
function agentOf({ agentIds }: AgentScope): string {
  return agentIds[0] ?? '';
}
