import { announceVendor } from '../speech-vendor/announce.ts';
import { assemblyai } from './manners.ts';

const PORT = 8_098;

export async function startFake([port]: readonly string[]): Promise<void> {
  await announceVendor(assemblyai, Number(port ?? PORT));
}
