import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import { forwarded, linesOf } from '../../kit/text-lines.ts';
import { blockText } from './block-text.ts';

/** Of a message. */
const MAX_SHARED = 10;

/** What stands below a message (https://docs.slack.dev/reference/messaging/payload#attachments). */
const Attachment = z.object({
  /** A message was forwarded, or linked to. */
  is_share: field(z.boolean()),
  is_msg_unfurl: field(z.boolean()),
  /** A link in the text, of which this is the preview. */
  from_url: field(z.string()),
  author_name: field(z.string()),
  pretext: field(z.string()),
  title: field(z.string()),
  title_link: field(z.string()),
  text: field(z.string()),
  fallback: field(z.string()),
  fields: field(z.array(z.object({ title: field(z.string()), value: field(z.string()) }))),
  blocks: field(z.array(z.unknown())),
  message_blocks: field(
    z.array(z.object({ message: field(z.object({ blocks: field(z.array(z.unknown())) })) })),
  ),
  files: field(z.array(z.unknown())),
  image_url: field(z.string()),
  thumb_url: field(z.string()),
});

type Attachment = z.output<typeof Attachment>;

/** What a message has beside its text: messages that were passed on, and cards. Previews of links are left out. */
export interface Shared {
  /** In Slack's marks. */
  readonly text: string;
  readonly files: readonly unknown[];
}

export function sharedIn(attachments: readonly unknown[]): Shared {
  const shared = attachments.slice(0, MAX_SHARED).flatMap((each) => {
    const { data } = Attachment.safeParse(each);
    return data && !isPreview(data) ? [data] : [];
  });
  return {
    text: linesOf(shared.map(textOf)),
    files: shared.flatMap(({ files }) => files ?? []),
  };
}

function isPreview({ is_share: isShared, is_msg_unfurl: isMessage, from_url: url }: Attachment): boolean {
  return url !== undefined && isShared !== true && isMessage !== true;
}

function textOf(attachment: Attachment): string {
  const {
    author_name: author,
    pretext = '',
    title = '',
    title_link: link,
    text = '',
    fields = [],
  } = attachment;
  const { is_share: isShared, is_msg_unfurl: isMessage, fallback = '' } = attachment;
  const blocks =
    attachment.blocks ?? (attachment.message_blocks ?? []).flatMap(({ message }) => message?.blocks ?? []);
  const from = isShared || isMessage ? forwarded(author ?? '') : (author ?? '');
  const head = link && title ? `<${link}|${title}>` : title;
  const words = linesOf([pretext, head, text || blockText(blocks), ...fields.map(fieldText)]);
  const image = attachment.image_url ?? attachment.thumb_url;
  return linesOf([from, words || (image ? `[image: <${image}>]` : fallback)]);
}

function fieldText({
  title = '',
  value = '',
}: {
  title?: string | undefined;
  value?: string | undefined;
}): string {
  return title === '' ? value : `${title}: ${value}`;
}
