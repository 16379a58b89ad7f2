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
  const all = joined(readings);
  const openId = albumOf(readings.at(-1));
  const open = all.find((reading) => albumOf(reading) === openId);
  if (openId === null || openId === waitedFor || !open) return { readings: all, open: null };
  const fromUpdateId = uncut(all, open.updateId);
  return {
    readings: all.filter((reading) => lastOf(reading) < fromUpdateId),
    open: { albumId: openId, fromUpdateId },
  };
}

/**
 * From which update on to ask again when some readings of a round were not handled: all of these come then, and no
 * album is cut in two, so that those that were handled are known by their first part.
 */
export function beginAgainAt(all: readonly Reading[], unhandled: readonly Reading[]): number {
  return uncut(all, Math.min(...unhandled.map(({ updateId }) => updateId)));
}

function uncut(all: readonly Reading[], from: number): number {
  const cut = all.find((reading) => reading.updateId < from && lastOf(reading) >= from);
  return cut ? uncut(all, cut.updateId) : from;
}

function albumOf(reading: Reading | undefined): string | null {
  return reading?.kind === 'message' ? reading.albumId : null;
}

/** The update of an album's last part. */
function lastOf(reading: Reading): number {
  return reading.kind === 'message' ? reading.lastUpdateId : reading.updateId;
}

/** An album has message and update id of its first part, and stands where its last part came. */
function joined(readings: readonly Reading[]): Reading[] {
  const albums = new Map<string, ReadMessage>();
  for (const reading of readings) {
    if (reading.kind !== 'message' || reading.albumId === null) continue;
    const before = albums.get(reading.albumId);
    albums.set(reading.albumId, before ? together(before, reading) : reading);
  }
  return readings.flatMap((reading) => {
    const album = albums.get(albumOf(reading) ?? '');
    if (!album) return [reading];
    return album.lastUpdateId === reading.updateId ? [album] : [];
  });
}

/** The message that these parts of one album are together. */
export function wholeOf([first, ...rest]: readonly [ReadMessage, ...ReadMessage[]]): ReadMessage {
  return rest.reduce(together, first);
}

function together(before: ReadMessage, part: ReadMessage): ReadMessage {
  return {
    ...before,
    lastUpdateId: part.updateId,
    text: [before.text, part.text].filter(Boolean).join('\n'),
    files: [...before.files, ...part.files],
  };
}
