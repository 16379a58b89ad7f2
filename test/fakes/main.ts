/** `npm run fake -- <platform> [port]`: a platform or speech provider on this machine, to try the gateway with. */
const FAKES: Readonly<Record<string, () => Promise<{ startFake(args: readonly string[]): Promise<void> }>>> =
  {
    telegram: () => import('./telegram/start.ts'),
    whatsapp: () => import('./whatsapp/start.ts'),
    elevenlabs: () => import('./elevenlabs/start.ts'),
    deepgram: () => import('./deepgram/start.ts'),
    cartesia: () => import('./cartesia/start.ts'),
    assemblyai: () => import('./assemblyai/start.ts'),
    openai: () => import('./openai/start.ts'),
  };

const [name = '', ...args] = process.argv.slice(2);
const load = FAKES[name];
if (load) {
  await (await load()).startFake(args);
} else {
  console.error(`npm run fake -- <name>, which is one of: ${Object.keys(FAKES).join(', ')}`);
  process.exitCode = 64;
}
