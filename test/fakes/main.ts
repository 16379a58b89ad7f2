import type { ModelVendorName } from './model-vendor/start.ts';
import type { VendorName } from './speech-vendor/all-vendors.ts';

const vendor = (name: VendorName) => async (args: readonly string[]) =>
  (await import('./speech-vendor/start.ts')).startFake(name, args);

const modelVendor = (name: ModelVendorName) => async (args: readonly string[]) =>
  (await import('./model-vendor/start.ts')).startFake(name, args);

/** `npm run fake -- <name> [args]`: a platform or a provider of speech or models on this machine, to try the gateway with. */
const FAKES: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  telegram: async (args) => (await import('./telegram/start.ts')).startFake(args),
  whatsapp: async (args) => (await import('./whatsapp/start.ts')).startFake(args),
  discord: async (args) => (await import('./discord/start.ts')).startFake(args),
  slack: async (args) => (await import('./slack/start.ts')).startFake(args),
  meet: async (args) => (await import('./meet/start.ts')).startFake(args),
  teams: async (args) => (await import('./teams/start.ts')).startFake(args),
  zoom: async (args) => (await import('./zoom/start.ts')).startFake(args),
  nextcloud: async (args) => (await import('./nextcloud/start.ts')).startFake(args),
  ivr: async (args) => (await import('./ivr/start.ts')).startFake(args),
  elevenlabs: vendor('elevenlabs'),
  deepgram: vendor('deepgram'),
  cartesia: vendor('cartesia'),
  assemblyai: vendor('assemblyai'),
  openai: vendor('openai'),
  custom: modelVendor('custom'),
  chat: modelVendor('chat'),
  foundry: modelVendor('foundry'),
  gemini: modelVendor('gemini'),
  bedrock: modelVendor('bedrock'),
  anthropic: modelVendor('anthropic'),
  mistral: modelVendor('mistral'),
};

const USAGE = `npm run fake -- <name> [args], where name is one of: ${Object.keys(FAKES).join(', ')}`;

const [name = '', ...args] = process.argv.slice(2);
const start = FAKES[name];
if (start) await start(args);
else if (name === '--help') console.log(USAGE);
else {
  console.error(USAGE);
  // sysexits.h: EX_USAGE.
  process.exitCode = 64;
}
