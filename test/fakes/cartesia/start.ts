import { announceVendor } from '../speech-vendor/announce.ts';
import { cartesia } from './manners.ts';

const PORT = 8_097;

export async function startFake([port]: readonly string[]): Promise<void> {
  await announceVendor(cartesia, Number(port ?? PORT));
}
