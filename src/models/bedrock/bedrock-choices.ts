import { z } from 'zod';
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

export interface ProfileChoices {
  readonly choices: readonly ModelChoice[];
  readonly nextToken: string | null;
}

/**
 * Returns the models that write texts under their own ids, null when it is no list of models.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html
 */
export function modelChoices(json: unknown): readonly ModelChoice[] | null {
  const models = ModelList.safeParse(json).data?.modelSummaries.filter(isCallable);
  return (
    models?.map(({ modelId, modelName, providerName, modelLifecycle }) => ({
      id: modelId,
      name: [providerName, modelName].filter((part) => part).join(' ') || modelId,
      endsAt: modelLifecycle?.endOfLifeTime?.slice(0, 'YYYY-MM-DD'.length) ?? null,
    })) ?? null
  );
}

/** The same for a page of inference profiles. */
export function profileChoices(json: unknown): ProfileChoices | null {
  const page = ProfilePage.safeParse(json).data;
  if (page === undefined) return null;
  const active = page.inferenceProfileSummaries.filter(({ status = 'ACTIVE' }) => status === 'ACTIVE');
  const choices = active.map(({ inferenceProfileId, inferenceProfileName }) => ({
    id: inferenceProfileId,
    name: inferenceProfileName ?? inferenceProfileId,
    endsAt: null,
  }));
  return { choices, nextToken: page.nextToken ?? null };
}

function isCallable(model: z.infer<typeof Model>): boolean {
  const { responseStreamingSupported = true, inferenceTypesSupported = ['ON_DEMAND'] } = model;
  return responseStreamingSupported && inferenceTypesSupported.includes('ON_DEMAND');
}
