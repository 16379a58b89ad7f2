import { objectsAt, textAt, type VendorMessage } from '../vendor-message.ts';
import { VendorFailed } from './ask-vendor.ts';

/** A voice that a preset can name. */
export interface Voice {
  /** The value of the option `voice`. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** BCP 47, as the provider writes them. */
  readonly languages: readonly string[];
  readonly gender: string | null;
  readonly previewUrl: string | null;
}

export interface VoiceList {
  readonly voices: readonly Voice[];
  /** Whether the provider has more voices than these. */
  readonly isCut: boolean;
}

export const VOICES_PER_PAGE = 100;
const MAX_PAGES = 5;

interface VoicePage {
  readonly voices: readonly Voice[];
  /** What stands for the page after it; '': it is the last. */
  readonly next: string;
}

/** Collects the pages of a list. `page` gets '' for the first. */
export async function allPages(page: (at: string) => Promise<VoicePage>): Promise<VoiceList> {
  const voices: Voice[] = [];
  let at = '';
  for (let count = 0; count < MAX_PAGES; count++) {
    const answer = await page(at);
    voices.push(...answer.voices);
    at = answer.next;
    if (at === '') return { voices, isCut: false };
  }
  return { voices, isCut: true };
}

/** Reads a list of voices that each have an id under this name. Throws VendorFailed when it is something else. */
export function voicesIn(
  body: VendorMessage,
  list: string,
  idName: string,
  read: (entry: VendorMessage, id: string) => Voice,
): Voice[] {
  const entries = objectsAt(body, list).flatMap((entry) => {
    const id = textAt(entry, idName);
    return id === null ? [] : [read(entry, id)];
  });
  const { [list]: told } = body;
  if (!Array.isArray(told) || entries.length < told.length) throw new VendorFailed('its answer is unusable');
  return entries;
}
