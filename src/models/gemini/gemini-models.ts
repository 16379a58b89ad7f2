import { z } from 'zod';
import type { ModelChoice } from '../model-client.ts';

const Model = z.object({
  /** `models/<id>`. */
  name: z.string(),
  displayName: z.string().optional(),
  supportedGenerationMethods: z.array(z.string()).optional(),
});
type Model = z.infer<typeof Model>;

export const ModelPage = z.object({
  models: z.array(Model).default([]),
  nextPageToken: z.string().optional(),
});

/** Returns those that write texts. https://ai.google.dev/api/models */
export function choicesOf(models: readonly Model[]): readonly ModelChoice[] {
  return models.filter(writes).map(({ name, displayName }) => {
    const id = name.slice(name.lastIndexOf('/') + 1);
    return { id, name: displayName ?? id, endsAt: null };
  });
}

function writes({ supportedGenerationMethods }: Model): boolean {
  return supportedGenerationMethods?.includes('generateContent') ?? true;
}
