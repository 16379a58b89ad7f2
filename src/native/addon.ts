import { createRequire } from 'node:module';
import { join } from 'node:path';

const BINARIES = join(import.meta.dirname, '../../build');

/**
 * Loads an addon built by build.ts, whose interface must have this version. Returns the reason when it cannot be loaded.
 */
export function loadAddon<Binding extends { readonly version: number }>(
  name: string,
  version: number,
): Binding | string {
  try {
    const binding = createRequire(import.meta.url)(join(BINARIES, `${name}.node`)) as Binding;
    return binding.version === version ? binding : `it is of version ${binding.version}, not ${version}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'MODULE_NOT_FOUND' ? 'it was not built' : message;
  }
}
