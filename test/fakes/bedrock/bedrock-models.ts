/** A model under its own id. */
export const NOVA = 'amazon.nova-lite-v1:0';
/** A model that answers only under an inference profile. */
export const CLAUDE = 'anthropic.claude-sonnet-5-v1:0';
export const CLAUDE_IN_EUROPE = `eu.${CLAUDE}`;

const ARN = 'arn:aws:bedrock:eu-west-3:';

export const MODELS = [
  {
    modelId: NOVA,
    modelArn: `${ARN}:foundation-model/${NOVA}`,
    modelName: 'Nova Lite',
    providerName: 'Amazon',
    inferenceTypesSupported: ['ON_DEMAND'],
    modelLifecycle: { status: 'LEGACY', endOfLifeTime: '2027-03-01T00:00:00Z' },
  },
  {
    modelId: CLAUDE,
    modelArn: `${ARN}:foundation-model/${CLAUDE}`,
    modelName: 'Claude Sonnet 5',
    providerName: 'Anthropic',
    inferenceTypesSupported: ['INFERENCE_PROFILE'],
    modelLifecycle: { status: 'ACTIVE' },
  },
].map((model) => ({
  ...model,
  inputModalities: ['TEXT'],
  outputModalities: ['TEXT'],
  responseStreamingSupported: true,
}));

export const PROFILES = [
  { inferenceProfileId: CLAUDE_IN_EUROPE, inferenceProfileName: 'EU Claude Sonnet 5', status: 'ACTIVE' },
  {
    inferenceProfileId: `global.${CLAUDE}`,
    inferenceProfileName: 'Global Claude Sonnet 5',
    status: 'ACTIVE',
  },
].map((profile) => ({
  ...profile,
  inferenceProfileArn: `${ARN}123456789012:inference-profile/${profile.inferenceProfileId}`,
  models: [{ modelArn: `${ARN}:foundation-model/${CLAUDE}` }],
  type: 'SYSTEM_DEFINED',
}));
