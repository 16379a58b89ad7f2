import type { Reading, ReadMessage } from './update-reading.ts';

/** What one round of polling brought, its albums joined. */
export interface Round {
  readonly readings: readonly Reading[];
  /** The album at the end, of which more may still come: it is asked for again. Null: there is none. */
  readonly open: { readonly albumId: string; readonly fromUpdateId: number } | null;
}

/**
 * Joins the parts of each album, which come as one message each, to one message with all its files. An album that the
 * round ends with is left for the next one, with all that came after its first part, but only once (`waitedFor`).
 */
export function joinAlbums(readings: readonly Reading[], waitedFor: string | null): Round {
  const openId = albumOf(readings.at(-1));
  if (openId === null || openId === waitedFor) return { readings: joined(readings), open: null };
  const first = readings.findIndex((reading) => albumOf(reading) === openId);
  return {
    readings: joined(readings.slice(0, first)),
    open: { albumId: openId, fromUpdateId: readings[first]!.updateId },
  };
}

function albumOf(reading: Reading | undefined): string | null {
  return reading?.kind === 'message' ? reading.albumId : null;
}

/**
 * An album has message and update id of its first part, and stands where its last part came: whoever begins again at
 * the least update that is not handled then gets all of it.
 */
function joined(readings: readonly Reading[]): Reading[] {
  const albums = new Map<string, { readonly whole: ReadMessage; readonly last: Reading }>();
  for (const reading of readings) {
    if (reading.kind !== 'message' || reading.albumId === null) continue;
    const before = albums.get(reading.albumId)?.whole;
    albums.set(reading.albumId, { whole: before ? together(before, reading) : reading, last: reading });
  }
  return readings.flatMap((reading) => {
    const album = albums.get(albumOf(reading) ?? '');
    if (!album) return [reading];
    return album.last === reading ? [album.whole] : [];
  });
}

function together(before: ReadMessage, part: ReadMessage): ReadMessage {
  return {
    ...before,
    text: [before.text, part.text].filter(Boolean).join('\n'),
    files: [...before.files, ...part.files],
  };
}
