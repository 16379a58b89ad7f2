import { ProxyList, PublicUrl } from './values.ts';

/** Replaces the host of a model provider, those of all its regions. */
function hostOf(provider: string, host: string) {
  return {
    default: null,
    shownDefault: host,
    schema: PublicUrl,
    meaning: `${provider}, or a proxy of your own for it; one URL for all regions`,
  };
}

/** Settings of the models behind agents. OpenAI's host is a setting of hosted speech too. */
export const MODEL_VARIABLES = {
  SVC_ANTHROPIC_URL: hostOf('Anthropic', 'https://api.anthropic.com'),
  SVC_GEMINI_URL: hostOf('Google Gemini', 'https://generativelanguage.googleapis.com'),
  SVC_MISTRAL_URL: hostOf('Mistral', 'https://api.mistral.ai'),
  SVC_BEDROCK_URL: hostOf('AWS Bedrock', 'https://bedrock-runtime.{region}.amazonaws.com'),
  SVC_MODELS_ALLOW: {
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated non-public addresses or subnets that endpoints of models may have, such as that of a model on your own network or of a proxy',
  },
} as const;
