import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';
import { waitFor } from './wait-for.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NODE = join(ROOT, 'node_modules/.bin/node');

/** `node src/start.cjs` with exactly these settings, whether they let it start or not. */
export function spawnGateway(settings: Readonly<Record<string, string>>): Child {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  return new Child(NODE, ['src/start.cjs'], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...settings },
  });
}

/** Nothing, or a log line, comes after it. */
const WHOLE_BANNER = /is ready\.[\s\S]*\n\n(?:\{|$)/;

/** The banner and what came before it, once it is there. */
export async function bannerOf(gateway: Child): Promise<string> {
  await waitFor(
    'the banner',
    () => {
      if (!gateway.running) throw new Error(`the gateway ended while starting:\n${gateway.output}`);
      return WHOLE_BANNER.test(gateway.output);
    },
    20_000,
  );
  return gateway.output;
}
