import { fileURLToPath } from 'node:url';
import { Child } from './child.ts';
import { startCommand } from './start-command.ts';
import { waitFor } from './wait-for.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `npm start` with exactly these settings, whether they let it start or not. */
export function spawnGateway(settings: Readonly<Record<string, string>>): Child {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const [command = '', ...args] = startCommand;
  return new Child(command, args, {
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
    60_000,
  );
  return gateway.output;
}
