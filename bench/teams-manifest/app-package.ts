import { strToU8, zipSync } from 'fflate';
import { colorIcon, outlineIcon } from './icons.ts';
import { type AppFacts, manifestOf } from './manifest.ts';

/** The ZIP file that Teams takes as an app: its manifest and two icons. */
export function appPackage(facts: AppFacts): Uint8Array {
  return zipSync({
    'manifest.json': strToU8(`${JSON.stringify(manifestOf(facts), null, 2)}\n`),
    'color.png': colorIcon(),
    'outline.png': outlineIcon(),
  });
}
