import { z } from 'zod';
import { assert } from '../../base/assert.ts';
import type { JsonApi, ProviderError } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { GatewayTools, ModelChoice, ModelClient, ModelTurn } from '../model-client.ts';
import { unlessGone, unusable } from '../model-fault.ts';
import type { GeminiAccess } from './gemini-access.ts';
import { readInteraction } from './interaction-reply.ts';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 5;
/** Limit of interactions that are deleted with a conversation: more than a day's talk, the rest expires. */
const MAX_CHAIN = 1_000;
/** The gateway's MCP server, as the model sees it. */
const SERVER_NAME = 'gateway';

/** Of `GET models/<id>` and of the list. */
const Model = z.object({
  /** `models/<id>`; in Vertex AI `publishers/google/models/<id>`. */
  name: z.string(),
  displayName: optionalField(z.string()),
  supportedGenerationMethods: optionalField(z.array(z.string())),
});
const ModelPage = z.object({
  models: z.array(Model).default([]),
  /** In their place in Vertex AI, which does not say what they can do. */
  publisherModels: z.array(Model).default([]),
  nextPageToken: optionalField(z.string()),
});
const WRITING_FAMILY = /^gemini-(?!embedding)/;

const StoredInteraction = z.object({ previous_interaction_id: optionalField(z.string()) }).catch({});

export interface GeminiClientOptions extends Pick<GeminiAccess, 'interactions' | 'models'> {
  /** Empty: none is chosen yet, so only `browse` works. */
  readonly model: string;
  readonly api: JsonApi;
}

/**
 * Gemini by its Interactions API. Each interaction names the one before it, so that a turn that got lost can be sent again:
 * it follows the same one. https://ai.google.dev/gemini-api/docs/interactions
 */
export function geminiClient({ api, model, models, interactions }: GeminiClientOptions): ModelClient {
  const chosen = (): string => {
    if (model === '') throw unusable('model is missing');
    return model;
  };
  return {
    async probe(signal) {
      await api.ask(Model, { method: 'GET', path: `${models}/${encodeURIComponent(chosen())}`, signal });
    },
    async browse(signal) {
      const pages = api.pages(
        ModelPage,
        { path: models, query: { pageSize: PAGE_SIZE }, signal },
        { next: ({ nextPageToken: pageToken }) => (pageToken ? { pageToken } : null), maxPages: MAX_PAGES },
      );
      return { models: (await Array.fromAsync(pages)).flatMap(choicesOf), agents: [], notice: null };
    },
    async turn(turn, observer) {
      const { signal, tools, memory } = turn;
      const previousId = memory?.interaction ?? null;
      const secret = tools?.bearer ?? '';
      const body = interactionBody(chosen(), turn, previousId);
      const events = await api.stream({ method: 'POST', path: interactions, body, secret, signal });
      const faultOf = (error: ProviderError) => api.brokenStream(error, secret);
      const reply = await readInteraction(events, observer, { hasMemory: previousId !== null, faultOf });
      observer.memoryChanged(reply.memory!);
      return reply;
    },
    /** The turn may be stored, but nothing follows it. */
    reconcile: async () => ({ kind: 'absent' }),
    /** Deletes the interactions from the first to the last: until that is gone, another attempt finds what is left. */
    async forget({ interaction }, signal) {
      for (const path of (await chainTo({ api, interactions }, interaction, signal)).toReversed())
        await unlessGone(api.tell({ method: 'DELETE', path, signal }));
    },
  };
}

/** The paths of an interaction and those before it, the last first. What another key has made counts as gone. */
async function chainTo(
  { api, interactions }: Pick<GeminiClientOptions, 'api' | 'interactions'>,
  last: string | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let id = last; id !== undefined && paths.length < MAX_CHAIN; ) {
    const path = `${interactions}/${encodeURIComponent(id)}`;
    const stored = await unlessGone(api.ask(StoredInteraction, { method: 'GET', path, signal }));
    if (stored === null) break;
    paths.push(path);
    id = stored.previous_interaction_id;
  }
  return paths;
}

/** Returns the models of a page that write texts. https://ai.google.dev/api/models */
function choicesOf({ models, publisherModels }: z.infer<typeof ModelPage>): ModelChoice[] {
  const writing = models.filter(
    ({ supportedGenerationMethods }) => supportedGenerationMethods?.includes('generateContent') ?? true,
  );
  const published = publisherModels.map(choiceOf).filter(({ id }) => WRITING_FAMILY.test(id));
  return [...writing.map(choiceOf), ...published];
}

function choiceOf({ name, displayName }: z.infer<typeof Model>): ModelChoice {
  const id = name.slice(name.lastIndexOf('/') + 1);
  return { id, name: displayName ?? id, endsAt: null };
}

/**
 * The body of one interaction. Instructions, tools and generation_config hold for one interaction only, so they are sent
 * each time. https://ai.google.dev/api/interactions-api
 */
function interactionBody(model: string, turn: ModelTurn, previousId: string | null): object {
  const { instructions, maxOutputTokens, isSpoken, tools } = turn;
  return {
    model,
    input: inputOf(turn, previousId),
    ...(previousId !== null && { previous_interaction_id: previousId }),
    ...(instructions !== '' && { system_instruction: instructions }),
    generation_config: { max_output_tokens: maxOutputTokens, ...(isSpoken && { thinking_level: 'low' }) },
    ...(tools !== null && { tools: [mcpServer(tools)] }),
    stream: true,
    store: true,
  };
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
