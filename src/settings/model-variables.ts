import { ProxyList } from './values.ts';
import { vendorHost } from './vendor-host.ts';

/** Settings of the models behind agents. OpenAI's host is a setting of hosted speech too. */
export const MODEL_VARIABLES = {
  SVC_ANTHROPIC_URL: vendorHost('Anthropic', 'https://api.anthropic.com'),
  SVC_GEMINI_URL: vendorHost('Google Gemini', 'https://generativelanguage.googleapis.com'),
  SVC_MISTRAL_URL: vendorHost('Mistral', 'https://api.mistral.ai'),
  SVC_BEDROCK_URL: vendorHost('AWS Bedrock', 'https://bedrock-runtime.{region}.amazonaws.com'),
  SVC_ENTRA_URL: vendorHost('Microsoft Entra ID for Microsoft Foundry', 'https://login.microsoftonline.com'),
  SVC_MODELS_ALLOW: {
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated non-public addresses or subnets that endpoints of models may have, such as that of a model on your own network or of a proxy. `localhost` and names of the hosts file count if their addresses are listed here',
  },
} as const;
