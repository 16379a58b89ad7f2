import { modelUse } from '../model-vendor/model-use.ts';
import { startVendor, VENDORS, type VendorName } from './all-vendors.ts';

const PORTS: Readonly<Record<VendorName, number>> = {
  elevenlabs: 8_095,
  deepgram: 8_096,
  cartesia: 8_097,
  assemblyai: 8_098,
  openai: 8_099,
};

/** Starts a vendor and says how to use it. */
export async function startFake(name: VendorName, [port]: readonly string[]): Promise<void> {
  const fake = await startVendor(name, Number(port ?? PORTS[name]));
  const { setting } = VENDORS[name];
  const key = fake.keyThatIs('valid');
  const kind = name === 'assemblyai' ? 'stt' : 'tts';
  const models = name === 'openai' ? modelsOf(fake.url, key) : '';
  console.log(`${name}: ${fake.url}

Start the gateway with it, and create a preset:

  ${setting}=${fake.url} SVC_NEURAL_VOICE=off npm start
  curl $BASE/api/voice-configs -H "X-API-Key: $SETTINGS_KEY" -d '{"kind":"${kind}","provider":"${name}","api_key":"${key}"}'

It speaks in tones, one per word, and understands them: alpha, bravo and so on to zulu.
Keys that lack a permission and money: ${fake.keyThatIs('missing_scope')} ${fake.keyThatIs('out_of_funds')}
${models}Any other key is wrong. Press Ctrl-C to stop it.`);
}

/** OpenAI has models as well, with the same key. */
function modelsOf(url: string, key: string): string {
  const provider = { provider: 'openai', config: { model: 'gpt-6-luna', api_key: key } };
  return `\n${modelUse(`SVC_OPENAI_URL=${url} `, provider)}\n`;
}
