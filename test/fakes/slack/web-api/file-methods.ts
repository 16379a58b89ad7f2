import * as z from 'zod';
import { writable } from './chat-methods.ts';
import type { BotCall, BotMethod } from './method.ts';
import { invalidArguments, SlackError } from './slack-error.ts';

const Completed = z.array(z.strictObject({ id: z.string(), title: z.string().optional() })).min(1);

export const FILE_METHODS: Readonly<Record<string, BotMethod>> = {
  'files.info': {
    arguments: { file: 'text' },
    takesJson: false,
    scopes: ['files:read'],
    run: ({ installation: { workspace }, args }) => {
      const file = workspace.files.get(args.text('file'));
      if (!file) throw new SlackError('file_not_found');
      if (file.isDeleted) throw new SlackError('file_deleted');
      return { file: file.info() };
    },
  },
  'files.getUploadURLExternal': {
    arguments: { filename: 'text', length: 'number', 'alt_txt?': 'text', 'snippet_type?': 'text' },
    takesJson: false,
    scopes: ['files:write'],
    run: ({ installation: { bot }, args, uploads }) => {
      if (args.number('length') === 0) throw invalidArguments('must be greater than 0: length');
      const { url, fileId } = uploads.open(bot, args.text('filename'), args.number('length'));
      return { upload_url: url, file_id: fileId };
    },
  },
  'files.completeUploadExternal': {
    arguments: {
      files: 'json',
      'channel_id?': 'text',
      'channels?': 'text',
      'initial_comment?': 'text',
      'thread_ts?': 'text',
    },
    takesJson: true,
    scopes: ['files:write'],
    run: complete,
  },
};

function complete(call: BotCall) {
  const { args, uploads, announcements } = call;
  const { workspace, bot, botId } = call.installation;
  const parsed = Completed.safeParse(args.json('files'));
  if (!parsed.success) throw invalidArguments('must be a list of ids and titles: files');
  const channel = args.has('channel_id') ? writable(call, 'channel_id') : null;
  const slots = parsed.data.map(({ id }) => uploads.take(bot, id));
  if (slots.some((slot) => slot === undefined)) throw new SlackError('file_not_found');
  const files = slots.map((slot, position) => {
    const { name, bytes, fileId } = slot!;
    const file = workspace.addFile({ name, mime: mimeOf(name), bytes: bytes!, owner: bot }, fileId);
    file.title = parsed.data[position]!.title ?? name;
    return file;
  });
  if (channel) {
    const threadTs = args.text('thread_ts') || null;
    announcements.posted(
      channel,
      channel.post({ user: bot, botId, text: args.text('initial_comment'), files, threadTs }),
    );
  }
  return { files: files.map(({ id, title }) => ({ id, title })) };
}

function mimeOf(name: string): string {
  return name.endsWith('.pdf') ? 'application/pdf' : 'application/octet-stream';
}
