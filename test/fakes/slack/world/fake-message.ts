import type { FakeFile } from './fake-file.ts';
import type { FakeUser } from './fake-user.ts';

/** A message in a channel. */
export interface FakeMessage {
  readonly ts: string;
  readonly user: FakeUser;
  /** The bot that wrote it; null: a person. */
  readonly botId: string | null;
  readonly threadTs: string | null;
  text: string;
  readonly files: readonly FakeFile[];
  editedTs: string | null;
  readonly metadata: unknown;
  readonly blocks?: unknown;
  /** Names of the bot's reactions. */
  readonly reactions: Set<string>;
}

/** As in events and answers. `homeTeamId`: the workspace of the channel; null: it does not matter. */
export function wireMessage(message: FakeMessage, homeTeamId: string | null = null) {
  const { ts, user, botId, threadTs, text, files, editedTs, metadata } = message;
  return {
    type: 'message',
    ...(files.length > 0 ? { subtype: 'file_share' } : {}),
    user: user.id,
    text,
    ts,
    team: user.teamId,
    ...(homeTeamId === null || homeTeamId === user.teamId
      ? {}
      : { user_team: user.teamId, source_team: user.teamId, user_profile: { real_name: user.realName } }),
    ...(botId === null ? {} : { bot_id: botId }),
    ...(threadTs === null ? {} : { thread_ts: threadTs }),
    ...(files.length > 0 ? { files: files.map((file) => file.wire()), upload: false } : {}),
    ...(editedTs === null ? {} : { edited: { user: user.id, ts: editedTs } }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** What people see of a text: without the escapes, links by their text. */
export function shownText(text: string): string {
  return text.replace(/<([^<>]*)>|&(amp|lt|gt);/g, (all, inside: string | undefined, name: string) => {
    if (inside === undefined) return { amp: '&', lt: '<', gt: '>' }[name] ?? all;
    return inside.split('|').at(-1)!;
  });
}
