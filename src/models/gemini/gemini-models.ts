import { z } from 'zod';
import { optionalField } from '../http/optional-field.ts';
import type { ModelChoice } from '../model-client.ts';

/** Of `GET models/<id>` and of the list. */
export const Model = z.object({
  /** `models/<id>`; in Vertex AI `publishers/google/models/<id>`. */
  name: z.string(),
  displayName: optionalField(z.string()),
  supportedGenerationMethods: optionalField(z.array(z.string())),
});
type Model = z.infer<typeof Model>;

export const ModelPage = z.object({
  models: z.array(Model).default([]),
  /** In their place in Vertex AI, which does not say what they can do. */
  publisherModels: z.array(Model).default([]),
  nextPageToken: optionalField(z.string()),
});

const WRITING_FAMILY = /^gemini-(?!embedding)/;

/** Returns the models of a page that write texts. https://ai.google.dev/api/models */
export function choicesOf({ models, publisherModels }: z.infer<typeof ModelPage>): readonly ModelChoice[] {
  return [
    ...models.filter(writes).map(choiceOf),
    ...publisherModels.map(choiceOf).filter(({ id }) => WRITING_FAMILY.test(id)),
  ];
}

function choiceOf({ name, displayName }: Model): ModelChoice {
  const id = name.slice(name.lastIndexOf('/') + 1);
  return { id, name: displayName ?? id, endsAt: null };
}

function writes({ supportedGenerationMethods }: Model): boolean {
  return supportedGenerationMethods?.includes('generateContent') ?? true;
}
