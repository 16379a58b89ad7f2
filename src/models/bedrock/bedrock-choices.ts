import { z } from 'zod';
import type { JsonApi } from '../http/json-api.ts';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice } from '../model-client.ts';

const Model = z.object({
  modelId: z.string(),
  modelName: optionalField(z.string()),
  providerName: optionalField(z.string()),
  responseStreamingSupported: optionalField(z.boolean()),
  /** `ON_DEMAND`: under its own id; others only by an inference profile or reserved capacity. */
  inferenceTypesSupported: optionalField(z.array(z.string())),
  modelLifecycle: optionalField(z.object({ endOfLifeTime: optionalField(z.string()) })),
});
const ModelList = z.object({ modelSummaries: z.array(Model) });

const ProfilePage = z.object({
  inferenceProfileSummaries: z.array(
    z.object({
      inferenceProfileId: z.string(),
      inferenceProfileName: optionalField(z.string()),
      status: optionalField(z.string()),
    }),
  ),
  nextToken: optionalField(z.string()),
});

const PAGE_SIZE = 1_000;
const MAX_PAGES = 5;

/**
 * Lists the models that write texts under their own ids.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html
 */
export async function modelChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const query = { byOutputModality: 'TEXT' };
  const request = { method: 'GET', path: '/foundation-models', query, signal } as const;
  const { modelSummaries: models } = await api.ask(ModelList, request);
  return models.filter(isCallable).map(({ modelId, modelName, providerName, modelLifecycle }) => ({
    id: modelId,
    name: [providerName, modelName].filter((part) => part).join(' ') || modelId,
    endsAt: modelLifecycle?.endOfLifeTime?.slice(0, 'YYYY-MM-DD'.length) ?? null,
  }));
}

/** Lists the inference profiles. */
export async function profileChoices(api: JsonApi, signal: AbortSignal): Promise<ModelChoice[]> {
  const pages = api.pages(
    ProfilePage,
    { path: '/inference-profiles', query: { maxResults: PAGE_SIZE }, signal },
    { next: ({ nextToken }) => (nextToken === undefined ? null : { nextToken }), maxPages: MAX_PAGES },
  );
  const profiles = (await Array.fromAsync(pages)).flatMap((page) => page.inferenceProfileSummaries);
  const active = profiles.filter(({ status = 'ACTIVE' }) => status === 'ACTIVE');
  return active.map(({ inferenceProfileId: id, inferenceProfileName: name = id }) => ({
    id,
    name,
    endsAt: null,
  }));
}

function isCallable(model: z.infer<typeof Model>): boolean {
  const { responseStreamingSupported = true, inferenceTypesSupported = ['ON_DEMAND'] } = model;
  return responseStreamingSupported && inferenceTypesSupported.includes('ON_DEMAND');
}
