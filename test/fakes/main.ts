/** `npm run fake -- <platform> [port]`: a platform on this machine, to try the gateway with. */
const FAKES: Readonly<Record<string, () => Promise<{ startFake(args: readonly string[]): Promise<void> }>>> =
  {
    telegram: () => import('./telegram/start.ts'),
    whatsapp: () => import('./whatsapp/start.ts'),
  };

const [name = '', ...args] = process.argv.slice(2);
const load = FAKES[name];
if (load) {
  await (await load()).startFake(args);
} else {
  console.error(`npm run fake -- <platform>, which is one of: ${Object.keys(FAKES).join(', ')}`);
  process.exitCode = 64;
}
