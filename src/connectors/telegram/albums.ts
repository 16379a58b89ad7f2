import type { Reading, ReadMessage } from './update-reading.ts';

/** Result of one polling round, with albums joined. */
export interface Round {
  readonly readings: readonly Reading[];
  /** The album at the end, which may still be incomplete and is fetched again; null when there is none. */
  readonly open: { readonly albumId: string; readonly fromUpdateId: number } | null;
}

/**
 * Joins the parts of each album, which arrive as separate messages, into one message with all files. An album at the
 * end of the round is left for the next round, together with everything after its first part. This happens only once
 * per album (`waitedFor`).
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
 * Returns the update id to fetch from again when some readings of a round were not handled. All unhandled readings are
 * fetched again. No album is split, so handled albums can be recognized by their first part.
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

/** Update id of an album's last part, or of any other reading. */
function lastOf(reading: Reading): number {
  return reading.kind === 'message' ? reading.lastUpdateId : reading.updateId;
}

/**
 * Joins albums. An album has the message id and update id of its first part and takes the position of its last part.
 */
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

/** Joins the parts of one album into one message. */
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
