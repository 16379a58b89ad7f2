import type { ListedAttachment } from '../../files/listed-attachments.ts';
import type { StoredEvent } from '../../store/messages/events.ts';
import type { Reading } from './inbox-view.ts';

/**
 * Replaces the `file_ids` in the payloads of events by `attachments`. The address of a file is a secret, so it is not
 * stored with the event. Files that are gone are left out.
 */
export async function withAttachments(
  { files: filesOf }: Reading,
  events: readonly StoredEvent[],
): Promise<readonly StoredEvent[]> {
  const ids = [...new Set(events.flatMap(fileIdsOf))];
  if (ids.length === 0) return events;
  const files = await filesOf(ids);
  return events.map((event) => {
    const { file_ids, ...payload } = event.payload;
    if (file_ids === undefined) return event;
    const attachments = fileIdsOf(event).flatMap((id) => attachmentOf(files.get(id)));
    return { ...event, payload: { ...payload, attachments } };
  });
}

function fileIdsOf({ payload: { file_ids } }: StoredEvent): string[] {
  return Array.isArray(file_ids) ? file_ids.filter((id) => typeof id === 'string') : [];
}

function attachmentOf(file: ListedAttachment | undefined): Record<string, unknown>[] {
  if (file === undefined) return [];
  const { name, mime, sizeBytes: size, url } = file;
  return [{ name, mime, size, url }];
}
