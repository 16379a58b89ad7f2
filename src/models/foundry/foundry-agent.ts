import * as z from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { unusable } from '../model-fault.ts';

/** An agent that is hosted by a project, as it is named in the settings: `name`, or `name:version`. */
export interface AgentName {
  readonly name: string;
  /** Absent: the newest. */
  readonly version?: string;
}

/** Of `GET {project}/agents` and `GET {project}/agents/{name}`. */
export const AgentObject = z.object({
  name: z.string(),
  versions: z
    .object({ latest: z.object({ definition: z.object({ kind: z.string().optional() }) }) })
    .optional()
    .catch(undefined),
});

/** Of the agents API. */
export const API_VERSION = { 'api-version': 'v1' };

const NAME = /^(?<name>[A-Za-z0-9][A-Za-z0-9-]{0,62})(?::(?<version>\w{1,64}))?$/;

/** Throws a ModelFault `bad_request`. */
export function readAgentName(text: string): AgentName {
  const { name, version } = NAME.exec(text)?.groups ?? {};
  if (name === undefined) throw unusable('agent_id must be the name of an agent, or name:version');
  return version === undefined ? { name } : { name, version };
}

/** Whether the agent runs in a container of its own, which has an endpoint of its own. */
export async function isContainer(api: JsonApi, { name }: AgentName, signal: AbortSignal): Promise<boolean> {
  const agent = await api.ask(AgentObject, {
    method: 'GET',
    path: `/agents/${name}`,
    query: API_VERSION,
    signal,
  });
  return agent.versions?.latest.definition.kind === 'hosted';
}
